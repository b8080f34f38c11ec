import { type Answer, isClientError } from './answer.ts'
import type { ChatBody } from './chat.ts'
import { Unsettled } from './unsettled.ts'

/** The upper bound of `max_tokens` is not shown (8): every gateway is expected to accept this many. */
export const tokensMaxGranted = 128

/** Words in which servers say that a prompt is longer than the window of the model. */
const namesTheWindow =
  /context (length|window|size)|maximum (prompt|input) (length|tokens)|(prompt|input|messages?) (is|are) too long|too many tokens/i
/** Prompts that any window has room for, and those by which a check looks for its end. */
const lengthBytes = { min: 1000, max: 16_384 }

/**
 * Throws if a refusal may be due to a window smaller than the prompt: a byte may be a token, and a template as long again. `window` is in
 * tokens, where it is known.
 */
export function allowRefusalOfLength(answer: Answer, asked: ChatBody | string, window?: number): void {
  const bytes = Buffer.byteLength(typeof asked === 'string' ? asked : JSON.stringify(asked['messages'] ?? ''))
  if (bytes < lengthBytes.min || bytes > lengthBytes.max || (window !== undefined && bytes * 2 <= window)) return
  if (isClientError(answer) && answer.status !== 429 && namesTheWindow.test(answer.text))
    throw new Unsettled('text', `the target refuses a prompt of ${bytes} bytes as longer than its window`)
}

/** Throws if a refusal may be due to a limit that the gateway need not accept. */
export function allowRefusalOfLimit(answer: Answer, asked: ChatBody): void {
  const limit = Number(asked['max_tokens'] ?? 0)
  if (limit > tokensMaxGranted && isClientError(answer) && answer.status !== 429)
    throw new Unsettled('text', `the target refuses max_tokens: ${limit}, and its upper bound is not shown`)
}
