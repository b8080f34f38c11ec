import type { Request } from './request.ts'

/** A chat request as a check writes it: its fields replace those of the brief default; one that is `undefined` is left out. */
export type ChatBody = Readonly<Record<string, unknown>>

export const chatPath = '/chat/completions'
export const modelsPath = '/models'

/** Short enough to cost next to nothing. */
export const briefTokens = 8
/** Of a slow target, of which each token takes its time. */
const briefestTokens = 4
const brief: ChatBody = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: briefTokens }
/** No token is assumed to be longer than this many characters, whatever the tokenizer. */
export const charsPerTokenMax = 64
/** As many tokens as a reply without a limit is likely to have. */
export const unlimitedTokens = 512
/** No check waits for more. */
const longestTokens = 1024

/** What a plain request has to say to this target: a shorter length where the default is too long, and that it wants no stream. */
export function briefOf(known: { readonly isSlow?: true; readonly streamsUnasked?: true }): ChatBody {
  return { ...(known.isSlow === true && { max_tokens: briefestTokens }), ...unstreamed(known) }
}

/** What a request for one reply has to say of `stream`: nothing, except to a target that streams without being asked to. */
export function unstreamed({ streamsUnasked }: { readonly streamsUnasked?: true }): ChatBody {
  return streamsUnasked === true ? { stream: false } : {}
}

export function chatText(model: string, body: ChatBody): string {
  return JSON.stringify({ model, ...brief, ...body })
}

export function chatRequest(model: string, body: ChatBody | string, rest: Partial<Request> = {}): Request {
  const request = { method: 'POST', path: chatPath } as const
  if (typeof body === 'string') return { ...request, body, ...rest }
  const { model: asked = model } = body
  return {
    ...request,
    body: chatText(model, body),
    ...(typeof asked === 'string' && { model: asked }),
    replyTokens: replyTokens(body),
    ...(!isBounded(body) && { isUnbounded: true }),
    ...rest,
  }
}

/** Whether the reply has an end that no check waits for in vain. A gateway may ignore a value that is no limit. */
function isBounded(body: ChatBody): boolean {
  const { max_tokens: limit } = { ...brief, ...body }
  return typeof limit === 'number' && limit >= 1 && limit <= longestTokens
}

function replyTokens(body: ChatBody): number {
  const { max_tokens: limit } = { ...brief, ...body }
  // A gateway may ignore a value that is not a limit, or an odd one.
  return typeof limit === 'number' && limit >= 1 ? Math.min(limit, longestTokens) : unlimitedTokens
}
