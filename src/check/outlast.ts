import { eventually } from '../repeat/eventually.ts'
import type { Answer } from '../target/answer.ts'
import { outcome, type Steadiness } from '../target/settle.ts'
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
