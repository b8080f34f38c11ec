import { type Answer, isClientError } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { Unsettled } from '../target/unsettled.ts'

/** The upper bound of `max_tokens` is not shown (8): every gateway is expected to accept this many. */
export const tokensMaxGranted = 128

/** Throws if a refusal may be due to a limit that the gateway need not accept. */
export function allowRefusalOfLimit(answer: Answer, asked: ChatBody): void {
  const limit = Number(asked['max_tokens'] ?? 0)
  if (limit > tokensMaxGranted && isClientError(answer) && answer.status !== 429)
    throw new Unsettled('text', `the target refuses max_tokens: ${limit}, and its upper bound is not shown`)
}
