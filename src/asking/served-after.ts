import type { CheckContext } from '../check/context.ts'
import { inTurn, untilRight } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { type Answer, isSuccess } from '../target/answer.ts'
import { type ChatBody, chatRequest } from '../target/chat.ts'

/**
 * Expects a plain request right after others to be served. It is not repeated as other requests are: a gateway that is
 * closed for a moment would be open again by then. A 429 is about a limit and a cut may be chance, so neither decides.
 */
export async function holdServedAfter(
  { send, ask, model, expect, undecidable }: CheckContext,
  what: string,
  plain: ChatBody,
  others: () => Promise<unknown>,
): Promise<void> {
  const once = (): Promise<Answer> => send(chatRequest(model, plain, { burst: true }))
  // Each round begins when the gateway serves.
  const serving = (): Promise<Answer> => ask(plain)
  const after = await untilRight(
    rules.servedAfter,
    async (round) => {
      if (round > 0) await serving()
      await others()
      return once()
    },
    isSuccess,
  )
  if (after.status === 429) throw undecidable('plain requests meet a rate limit')
  if (after.status === undefined) throw undecidable('plain requests sometimes get no answer')
  if (!isSuccess(after)) {
    const { times, wrongMax } = rules.servedAfter.controls
    const plain = await inTurn(times, async () => {
      await serving()
      return once()
    })
    const failures = plain.filter((answer) => !isSuccess(answer)).length
    if (failures > wrongMax) throw undecidable('plain requests fail without the others too')
  }
  expect(`status of a plain request right after ${what}`, after.status, after).isStatus('2xx')
}
