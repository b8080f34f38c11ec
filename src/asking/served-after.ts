import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckContext } from '../check/context.ts'
import { eventually } from '../repeat/eventually.ts'
import { inTurn, untilRight } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { type Answer, isSuccess } from '../target/answer.ts'
import { type ChatBody, chatRequest, unstreamed } from '../target/chat.ts'

/** Known gateways rest a node for half a minute. */
const closed = { withinMs: 45_000, everyMs: 1000 } as const
const stillClosedMs = 100

/**
 * Expects a plain request right after others to be served. It is not repeated as other requests are: a gateway that is
 * closed for a moment would be open again by then. A 429 is about a limit and a cut may be chance, so neither decides.
 */
export async function holdServedAfter(
  { send, ask, model, prepared, expect, undecidable }: CheckContext,
  what: string,
  plain: ChatBody,
  others: () => Promise<unknown>,
  untilOpen: { readonly withinMs: number; readonly everyMs: number } = closed,
): Promise<void> {
  const once = (): Promise<Answer> => send(chatRequest(model, { ...unstreamed(prepared), ...plain }, { burst: true }))
  // Each round begins when the gateway serves.
  const serving = (): Promise<Answer> => ask(plain)
  const rightAfter = async (): Promise<Answer> => {
    await others()
    return once()
  }
  const later = async (): Promise<Answer> => {
    await sleep(stillClosedMs)
    return once()
  }
  const expectServed = (answer: Answer): void =>
    expect(`status of a plain request right after ${what}`, answer.status, answer).isStatus('2xx')
  const { times, controls } = rules.servedAfter
  // Of one that is closed already nothing is learnt here, so it is waited for.
  if (!isSuccess(await eventually(untilOpen, once, isSuccess))) await serving()
  let after = await rightAfter()
  for (let wrong = 0; !isSuccess(after); after = await rightAfter()) {
    // One that stays closed refuses as many in a row as the rule wants: two such times are enough, as each is waited for.
    const staysClosed =
      (after.status ?? 0) >= 500 && !isSuccess(await untilRight({ times: times - 1 }, later, isSuccess))
    wrong += staysClosed ? times / 2 : 1
    const last = staysClosed ? await eventually(untilOpen, once, isSuccess) : undefined
    // One that served right before, and then refuses for so long, need not open again to be blamed.
    if ((last?.status ?? 0) >= 500) return expectServed(after)
    if (wrong >= times) break
    await serving()
  }
  if (after.status === 429) throw undecidable('plain requests meet a rate limit')
  if (after.status === undefined) throw undecidable('plain requests sometimes get no answer')
  if (!isSuccess(after)) {
    const plain = await inTurn(controls.times, async () => {
      await serving()
      return once()
    })
    const failures = plain.filter((answer) => !isSuccess(answer)).length
    if (failures > controls.wrongMax) throw undecidable('plain requests fail without the others too')
  }
  expectServed(after)
}
