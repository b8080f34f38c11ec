import type { Message } from '../../network/node.ts'
import { firstViolation, validator } from '../../validator.ts'
import { badRequest } from './error.ts'

/** What a node needs to know of a chat request. Of the rest it looks only at what every engine refuses: other types of the sampling. */
export interface NodeRequest {
  readonly model: string
  readonly messages: readonly Message[]
  readonly tokensMax: number
  readonly stop: readonly string[]
  readonly stream: boolean
  readonly includeUsage: boolean
}

interface ChatMessage {
  readonly role: string
  readonly content?: string | null | readonly { readonly text?: unknown }[]
}

interface ChatBody {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly temperature?: number | null
  readonly top_p?: number | null
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly stop?: string | readonly string[] | null
  readonly stream?: boolean | null
  readonly stream_options?: { readonly include_usage?: boolean | null } | null
}

/** Without a limit, a reply is as long as its text. */
const TOKENS_MAX = 1_000_000

/** As with real servers, content may be text, absent beside a tool call, or a list of parts. */
const message = {
  type: 'object',
  required: ['role'],
  properties: { role: { type: 'string' }, content: { type: ['string', 'array', 'null'], items: { type: 'object' } } },
}

const chatBody = validator<ChatBody>({
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string' },
    messages: { type: 'array', minItems: 1, items: message },
    temperature: { type: ['number', 'null'] },
    top_p: { type: ['number', 'null'] },
    max_tokens: { type: ['integer', 'null'], minimum: 1 },
    max_completion_tokens: { type: ['integer', 'null'], minimum: 1 },
    stop: { type: ['string', 'array', 'null'], items: { type: 'string' } },
    stream: { type: ['boolean', 'null'] },
    stream_options: { type: ['object', 'null'], properties: { include_usage: { type: ['boolean', 'null'] } } },
  },
})

/** Throws `NodeError` 400 that names the field. */
export function readNodeRequest(body: Uint8Array): NodeRequest {
  const value = parseJson(body)
  const validate = chatBody()
  if (!validate(value)) {
    const { where, problem } = firstViolation(validate.errors)
    throw badRequest(`${where ?? 'The request body'} ${problem}.`, where)
  }
  return {
    model: value.model,
    messages: value.messages.map(({ role, content }) => ({ role: known(role), content: textOf(content) })),
    tokensMax: value.max_completion_tokens ?? value.max_tokens ?? TOKENS_MAX,
    stop: [value.stop ?? []].flat().filter((sequence) => sequence !== ''),
    stream: value.stream ?? false,
    includeUsage: value.stream_options?.include_usage ?? false,
  }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw badRequest('The request body must be JSON in UTF-8.')
  }
}

/** For a made-up reply, tools, functions and developers count as the system. */
function known(role: string): Message['role'] {
  return role === 'user' || role === 'assistant' ? role : 'system'
}

function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}
