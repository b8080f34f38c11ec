import type { Message } from '../../network/node.ts'
import { firstViolation, validator } from '../../validator.ts'
import { invalidRequest } from '../gateway-error.ts'
import { refuseUnoffered } from './unoffered.ts'

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
  /** Fields that the contract does not show, for the node, as they came. */
  readonly extras: Readonly<Record<string, unknown>>
}

interface ChatBody extends Readonly<Record<string, unknown>> {
  readonly model: string
  readonly messages: readonly Message[]
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly stream?: boolean | null
  readonly stop?: string | readonly string[] | null
  readonly stream_options?: { readonly include_usage?: boolean | null } | null
}

/**
 * What a node may want to know and the gateway does not. A list, because servers of the format give meaning to many
 * other names, such as a second spelling of the limit that the client would then not pay for.
 */
const extraNames = ['user', 'seed', 'metadata', 'store', 'safety_identifier', 'prompt_cache_key']

const message = {
  type: 'object',
  required: ['role', 'content'],
  properties: {
    role: { type: 'string', enum: ['system', 'user', 'assistant'] },
    content: { type: 'string' },
  },
}

const limit = { type: ['integer', 'null'], minimum: 1 }

/** Null counts as absent: client libraries send it for options that were not set. Unknown fields are ignored. */
const chatBody = validator<ChatBody>({
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string', minLength: 1 },
    messages: { type: 'array', minItems: 1, items: message },
    temperature: { type: ['number', 'null'], minimum: 0, maximum: 2 },
    top_p: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    max_tokens: limit,
    max_completion_tokens: limit,
    stream: { type: ['boolean', 'null'] },
    stream_options: { type: ['object', 'null'], properties: { include_usage: { type: ['boolean', 'null'] } } },
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
  refuseUnoffered(value)
  const tokensMax = limitOf(value)
  return {
    model: value.model,
    messages: value.messages,
    temperature: value.temperature ?? 1,
    topP: value.top_p ?? 1,
    ...(tokensMax !== undefined && { tokensMax }),
    stream: value.stream ?? false,
    includeUsage: value.stream_options?.include_usage ?? false,
    stop: typeof value.stop === 'string' ? [value.stop] : (value.stop ?? []),
    extras: extrasOf(value),
  }
}

/** `max_completion_tokens` is the newer name of `max_tokens`. */
function limitOf({ max_tokens: older, max_completion_tokens: newer }: ChatBody): number | undefined {
  const name = 'max_completion_tokens'
  if (typeof older === 'number' && typeof newer === 'number' && older !== newer)
    throw invalidRequest('invalid_value', `${name} must equal max_tokens where both are given.`, name)
  return newer ?? older ?? undefined
}

function extrasOf(body: ChatBody): ChatRequest['extras'] {
  const extras: Record<string, unknown> = {}
  for (const name of extraNames) if ((body[name] ?? null) !== null) extras[name] = body[name]
  return extras
}
