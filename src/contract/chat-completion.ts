import type { Schema } from './schema.ts'

/** C2.3, the reply that is not streamed. Fields the contract does not show are allowed, and never judged. */
export interface ChatCompletion {
  readonly id: string
  readonly object: 'chat.completion'
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  readonly choices: readonly CompletionChoice[]
  readonly usage: Usage
}

interface CompletionChoice {
  readonly index: number
  readonly message: { readonly role: 'assistant'; readonly content: string }
  readonly finish_reason: string
}

export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

const count = { type: 'integer', minimum: 0 } as const

export const usageSchema = {
  $id: 'contract/v1/2.3-usage',
  type: 'object',
  required: ['prompt_tokens', 'completion_tokens', 'total_tokens'],
  properties: { prompt_tokens: count, completion_tokens: count, total_tokens: count },
} as const satisfies Schema<Usage>

const message = {
  type: 'object',
  required: ['role', 'content'],
  properties: { role: { const: 'assistant' }, content: { type: 'string' } },
} as const

const choice = {
  type: 'object',
  required: ['index', 'message', 'finish_reason'],
  properties: { index: { type: 'integer', minimum: 0 }, message, finish_reason: { type: 'string', minLength: 1 } },
} as const

export const chatCompletionSchema = {
  $id: 'contract/v1/2.3-chat-completion',
  type: 'object',
  required: ['id', 'object', 'created', 'model', 'choices', 'usage'],
  properties: {
    id: { type: 'string', minLength: 1 },
    object: { const: 'chat.completion' },
    created: { type: 'integer', minimum: 0 },
    model: { type: 'string', minLength: 1 },
    choices: { type: 'array', minItems: 1, items: choice },
    usage: { type: 'object', required: usageSchema.required, properties: usageSchema.properties },
  },
} as const satisfies Schema<ChatCompletion>
