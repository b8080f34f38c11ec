import type { Schema } from './schema.ts'

/** C2.2, one message of the conversation. */
interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** C2.1, a chat completion request. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly Message[]
  readonly temperature?: number
  readonly max_tokens?: number
  readonly stream?: boolean
  readonly top_p?: number
  readonly stop?: string | readonly string[]
}

const message = {
  type: 'object',
  required: ['role', 'content'],
  properties: { role: { enum: ['system', 'user', 'assistant'] }, content: { type: 'string' } },
} as const

/** What the harness itself may ask for when it expects an answer. */
export const chatRequestSchema = {
  $id: 'contract/v1/2.1-chat-request',
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string', minLength: 1 },
    messages: { type: 'array', minItems: 1, items: message },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    max_tokens: { type: 'number', exclusiveMinimum: 0 },
    stream: { type: 'boolean' },
    top_p: { type: 'number', minimum: 0, maximum: 1 },
    stop: { type: ['string', 'array'], items: { type: 'string' } },
  },
} as const satisfies Schema<ChatRequest>
