import type { Request } from './target.ts'

/** A chat request as a check writes it: own fields over the brief default; a field that is `undefined` is left out. */
export type ChatBody = Readonly<Record<string, unknown>>

export const chatPath = '/chat/completions'
export const modelsPath = '/models'

/** Short enough to cost next to nothing. */
const brief: ChatBody = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 8 }

export function chatText(model: string, body: ChatBody): string {
  return JSON.stringify({ model, ...brief, ...body })
}

export function chatRequest(model: string, body: ChatBody | string, rest: Partial<Request> = {}): Request {
  return { method: 'POST', path: chatPath, body: typeof body === 'string' ? body : chatText(model, body), ...rest }
}
