import { eventually } from '../repeat/eventually.ts'
import { type Answer, isSuccess } from '../target/answer.ts'
import { chatRequest, unstreamed } from '../target/chat.ts'
import type { Prepared } from '../target/prepare.ts'
import { outcome, type Steadiness } from '../target/settle.ts'
import type { Target } from '../target/target.ts'
import { Unsettled } from '../target/unsettled.ts'

/** What a server says that fails; a 503 is repeated wherever it comes. */
export const outages: ReadonlySet<number> = new Set([500, 502, 504])
const everyMs = 500

interface Outlasting extends Pick<Steadiness, 'remainingMs'> {
  /** How long a target may take to be back. */
  readonly settlingMs: number
}

/**
 * The answer to a request, of a server that is in service. One that fails whatever it is asked neither refuses the request nor serves
 * it: it is asked again when it is back, and `Unsettled` is thrown where that takes too long.
 */
export async function outlast<A extends Answer>(
  ask: () => Promise<A>,
  control: (alone: boolean) => Promise<boolean>,
  { settlingMs, remainingMs }: Outlasting,
): Promise<A> {
  const isOut = async ({ status = 0 }: A): Promise<boolean> => outages.has(status) && !(await control(false))
  const answer = await ask()
  if (!(await isOut(answer))) return answer
  const withinMs = Math.max(0, Math.min(settlingMs, remainingMs()))
  const isBack = await eventually(
    { withinMs, everyMs },
    () => control(false),
    (well) => well,
  )
  const again = isBack ? await ask() : answer
  if (isBack && !(await isOut(again))) return again
  throw new Unsettled('target', `${outcome(again)}; a plain request sent beside it failed too`)
}

/** Known gateways rest a node for half a minute. */
const restMsMax = 45_000

/** Waits until a gateway that puts our nodes out of service when they fail serves plain requests again. */
export async function untilServed(target: Target, prepared: Prepared): Promise<void> {
  const { model, works } = prepared
  if (target.config.nodes === undefined || model === undefined || !works.json) return
  const plain = chatRequest(model, unstreamed(prepared), { burst: true })
  // A gateway that is out of service for good is no reason to spend the rest of the run here.
  const withinMs = Math.min(restMsMax, target.remainingMs() / 4)
  try {
    await eventually({ withinMs, everyMs: 1000 }, () => target.send(plain), isSuccess)
  } catch (error) {
    // Where the budget is used up, or the target has stopped, the next check says so.
    if (!(error instanceof Unsettled)) throw error
  }
}
