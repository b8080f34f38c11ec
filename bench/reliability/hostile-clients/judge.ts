import type { Gateway, Input } from './input.ts'
import type { Heard, Reply } from './line.ts'
import { markup } from './odd-values.ts'

/** What the gateway did wrong with an input, if anything. */
export function problemOf(input: Input, { replies, ending }: Heard, gateway: Gateway): string | undefined {
  if (ending !== 'answered' && ending !== 'closed') return ending
  if (input.isRequest && replies.length !== 1) return `${replies.length} answers, ${ending}`
  if (input.isForbidden === true && replies.some(letsIn)) return 'somebody was let in'
  return replies.map((reply) => problemOfReply(input, reply, gateway)).find((problem) => problem !== undefined)
}

/** A redirect leads to where one signs in. */
function letsIn({ status }: Reply): boolean {
  return status >= 200 && status < 300
}

function problemOfReply(
  { surface, bytes }: Input,
  { status, type, body }: Reply,
  { key, controlToken }: Gateway,
): string | undefined {
  if (status >= 500 && !(status === 503 && body.includes('model_unavailable'))) return `status ${status}`
  if (type.includes('html') && body.includes(markup)) return 'markup that somebody sent, as it was'
  if (/\bat .+:\d+:\d+/.test(body)) return 'a stack trace'
  if ([key, controlToken].some((secret) => body.includes(secret) && !bytes.includes(secret))) return 'a secret'
  if (surface === 'api' && status >= 400 && !isError(body)) return `status ${status} without an error of the format`
  return undefined
}

function isError(body: string): boolean {
  try {
    return typeof JSON.parse(body).error.message === 'string'
  } catch {
    return false
  }
}
