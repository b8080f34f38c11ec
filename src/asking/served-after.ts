import type { CheckContext } from '../check/context.ts'
import { type Answer, isSuccess } from '../target/answer.ts'
import { type ChatBody, chatRequest } from '../target/chat.ts'

/** How often a plain request must fail behind others before these are to blame. */
const behindRounds = 6
/**
 * How often it is then sent without them, and how often it may fail: requests of other checks are others to it. Who
 * fails by chance alone does not fail six times in a row and then at most twice in eight.
 */
const plainRounds = 8
const plainFailuresMax = 2

/**
 * Holds that a plain request is served that comes right behind others. It is not repeated, as others are: a gateway that
 * is closed for a moment is open again by then. A 429 speaks of a limit, and a cut of the moment: they say nothing.
 */
export async function holdServedBehind(
  { send, ask, model, expect, undecidable }: CheckContext,
  what: string,
  plain: ChatBody,
  others: () => Promise<unknown>,
): Promise<void> {
  const once = (): Promise<Answer> => send(chatRequest(model, plain, { burst: true }))
  // Each round begins with a gateway that serves.
  const serving = (): Promise<Answer> => ask(plain)
  let behind: Answer | undefined
  for (let round = 0; round < behindRounds && (behind === undefined || !isSuccess(behind)); round += 1) {
    if (round > 0) await serving()
    await others()
    behind = await once()
  }
  if (behind?.status === 429) throw undecidable('plain requests meet a limit')
  if (behind?.status === undefined) throw undecidable('plain requests get no answer now and then')
  if (!isSuccess(behind)) {
    let failures = 0
    for (let round = 0; round < plainRounds; round += 1) {
      await serving()
      if (!isSuccess(await once())) failures += 1
    }
    if (failures > plainFailuresMax) throw undecidable('plain requests fail without the others too')
  }
  expect(`status of a plain request right behind ${what}`, behind.status, behind).satisfies('a 2xx', isSuccess(behind))
}
