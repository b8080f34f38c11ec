import type { Check } from '../../src/check/check.ts'
import type { Verdict } from '../../src/check/verdict.ts'
import { isSameVerdict, type KeptRun, redraw } from '../../src/run/redraw.ts'
import type { RecordedExchange } from '../../src/wire/recorded-exchange.ts'

/** The exchanges that a verdict needs, of all that its check saw; undefined if it cannot be drawn from them. */
export async function cutToVerdict(
  check: Check,
  verdict: Verdict,
  all: readonly RecordedExchange[],
  run: KeptRun,
): Promise<readonly RecordedExchange[] | undefined> {
  const follows = async (some: readonly RecordedExchange[]): Promise<boolean> => {
    const again = await redraw(check, some, run)
    return again !== undefined && isSameVerdict(verdict, again)
  }
  let needed = all.filter((one, place) => !isPolledAgain(one, all.slice(place + 1)))
  if (!(await follows(needed))) return undefined
  // Many at once first: a verdict that a check waits for takes seconds each time.
  for (let size = Math.ceil(needed.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let end = needed.length; end > 0; end -= size) {
      const fewer = needed.filter((_, place) => place < end - size || place >= end)
      if (fewer.length < needed.length && (await follows(fewer))) needed = fewer
    }
  }
  return needed
}

/** A look at what a node saw, which was repeated until it had changed. */
function isPolledAgain({ request: { method, url } }: RecordedExchange, later: readonly RecordedExchange[]): boolean {
  const isPoll = method === 'GET' && url.includes('/control/v1/')
  return isPoll && later.some(({ request }) => request.method === 'GET' && request.url === url)
}
