import type { Check } from '../../check/check.ts'
import type { CheckId } from '../../check/check-ids.ts'
import type { Used } from '../../target/request.ts'
import { sumOf } from './cost.ts'
import { worthOf } from './worth.ts'

/** Which checks a budget has room for. */
export interface Fit {
  /** What is asked at most; where not all fits, all of the room, since what is left of it is given to others. */
  readonly most: Used
  /** The checks that fit, and all that they depend on. */
  readonly asked: ReadonlySet<CheckId>
  /** What the whole run would need for each of the others to fit. */
  readonly tooDear: ReadonlyMap<CheckId, Used>
}

interface Parts {
  readonly selected: readonly Check[]
  /** A check and all that it depends on, however far. */
  readonly needed: (check: Check) => readonly Check[]
  readonly costOf: (check: Check) => Used
  /** Checks that were asked before: what they notice need not be noticed again. */
  readonly before?: ReadonlySet<CheckId>
  readonly shared: Used
}

/** Tokens weigh as much as a request where they are so many: a run waits for requests, and what takes too many tokens does not fit anyway. */
const tokensPerRequest = 1000

/**
 * Takes the checks that prove most for least first, each with all that it depends on. The order is the same for every budget, so
 * what a check would need does not depend on the budget either.
 */
export function fitInto(room: Used, { selected, needed, costOf, shared, before }: Parts): Fit {
  const fits = ({ requests, tokens }: Used): boolean => requests <= room.requests && tokens <= room.tokens
  const withShared = (checks: Iterable<Check>): Used => sumOf([shared, ...[...checks].map(costOf)])
  const all = new Set(selected.flatMap(needed))
  const total = withShared(all)
  if (fits(total)) return { most: total, asked: idsOf(all), tooDear: new Map() }
  const taken = new Set<Check>()
  const considered = new Set<Check>()
  const tooDear = new Map<CheckId, Used>()
  const waiting = new Set(selected)
  while (waiting.size > 0) {
    const next = mostForLeast([...waiting], considered, { needed, costOf, ...(before && { before }) })
    waiting.delete(next)
    for (const one of needed(next)) considered.add(one)
    if (fits(withShared(new Set([...taken, ...needed(next)])))) for (const one of needed(next)) taken.add(one)
    else tooDear.set(next.id, withShared(considered))
  }
  const most = { requests: Math.min(total.requests, room.requests), tokens: Math.min(total.tokens, room.tokens) }
  return { most, asked: idsOf(taken), tooDear }
}

function idsOf(checks: Iterable<Check>): ReadonlySet<CheckId> {
  return new Set([...checks].map(({ id }) => id))
}

function mostForLeast(
  waiting: readonly Check[],
  considered: ReadonlySet<Check>,
  { needed, costOf, before = new Set() }: Pick<Parts, 'needed' | 'costOf' | 'before'>,
): Check {
  const known = new Set<CheckId>([...before, ...idsOf(considered)])
  const yieldOf = (check: Check): number => {
    const bundle = [...new Set([check, ...needed(check).filter(({ id }) => !known.has(id))])]
    const { requests, tokens } = sumOf(bundle.map(costOf))
    return worthOf(bundle, known) / (1 + requests + tokens / tokensPerRequest)
  }
  const [first, ...others] = waiting.map((check) => ({ check, yield: yieldOf(check) }))
  if (first === undefined) throw new Error('nothing waits')
  return others.reduce((best, one) => (one.yield > best.yield ? one : best), first).check
}
