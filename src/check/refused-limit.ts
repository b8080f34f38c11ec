import { type Answer, isClientError } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { Unsettled } from '../target/unsettled.ts'

/** The upper bound of `max_tokens` is not shown (8): this many every gateway is held to take. */
const tokensMaxGranted = 128

/** Throws where a refusal may be that of a limit which the gateway need not take. */
export function allowRefusalOfLimit(answer: Answer, asked: ChatBody): void {
  const limit = Number(asked['max_tokens'] ?? 0)
  if (limit > tokensMaxGranted && isClientError(answer) && answer.status !== 429)
    throw new Unsettled('text', `the target refuses max_tokens: ${limit}, and its upper bound is not shown`)
}
