import type { Message } from '../network/node.ts'
import { firstViolation, validator } from '../validator.ts'
import { invalidRequest } from './gateway-error.ts'

/** A chat request that follows C2.1, C2.2 and C8, with defaults filled in. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly Message[]
  readonly temperature: number
  readonly topP: number
  /** As asked for, perhaps far above any window. Absent: the gateway's default. */
  readonly tokensMax?: number
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly stop: readonly string[]
}

interface ChatBody {
  readonly model: string
  readonly messages: readonly Message[]
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly max_tokens?: number | null
  readonly stream?: boolean | null
  readonly stop?: string | readonly string[] | null
  readonly stream_options?: unknown
}

const message = {
  type: 'object',
  required: ['role', 'content'],
  properties: {
    role: { type: 'string', enum: ['system', 'user', 'assistant'] },
    content: { type: 'string' },
  },
}

/** Null counts as absent: client libraries send it for options that were not set. Unknown fields are ignored. */
const chatBody = validator<ChatBody>({
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string', minLength: 1 },
    messages: { type: 'array', minItems: 1, items: message },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 2 },
    top_p: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    max_tokens: { type: ['integer', 'null'], minimum: 1 },
    stream: { type: ['boolean', 'null'] },
    stop: {
      type: ['string', 'array', 'null'],
      minLength: 1,
      minItems: 1,
      maxItems: 4,
      items: { type: 'string', minLength: 1 },
    },
  },
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws `GatewayError` 400 for bytes that are not UTF-8 or not JSON. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalidRequest('invalid_json', 'The request body must be JSON in UTF-8.')
  }
}

/** Throws `GatewayError` 400 that names the first wrong field. */
export function readChatRequest(value: unknown): ChatRequest {
  const validate = chatBody()
  if (!validate(value)) {
    const { where, problem } = firstViolation(validate.errors)
    throw invalidRequest('invalid_value', `${where ?? 'The request body'} ${problem}.`, where)
  }
  return {
    model: value.model,
    messages: value.messages,
    temperature: value.temperature ?? 1,
    topP: value.top_p ?? 1,
    ...(typeof value.max_tokens === 'number' && { tokensMax: value.max_tokens }),
    stream: value.stream ?? false,
    includeUsage: asksForUsage(value.stream_options),
    stop: [value.stop ?? []].flat(),
  }
}

/** The contract does not name `stream_options`, so a malformed one is ignored like any unknown field. */
function asksForUsage(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true
}
