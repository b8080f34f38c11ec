import type { Check } from '../../check/check.ts'
import type { CheckId } from '../../check/check-ids.ts'
import type { Used } from '../../target/request.ts'
import { sumOf } from './cost.ts'
import { worthOf } from './worth.ts'

/** Which checks a budget has room for. */
export interface Fit {
  /** What is asked at most: the checks that fit, all that they depend on, and what they share. */
  readonly most: Used
  /** What the whole run would need for each of the others to fit. */
  readonly tooDear: ReadonlyMap<CheckId, Used>
}

interface Parts {
  readonly selected: readonly Check[]
  /** A check and all that it depends on, however far. */
  readonly needed: (check: Check) => readonly Check[]
  readonly costOf: (check: Check) => Used
  readonly shared: Used
}

/** A token's share in the effort of a request: plain requests have about as many tokens. */
const tokensPerRequest = 60

/**
 * Takes the checks that prove most for least first, each with all that it depends on. The order is the same for every budget, so
 * what a check would need does not depend on the budget either.
 */
export function fitInto(room: Used, { selected, needed, costOf, shared }: Parts): Fit {
  const fits = ({ requests, tokens }: Used): boolean => requests <= room.requests && tokens <= room.tokens
  const withShared = (checks: Iterable<Check>): Used => sumOf([shared, ...[...checks].map(costOf)])
  const all = new Set(selected.flatMap(needed))
  const total = withShared(all)
  if (fits(total)) return { most: total, tooDear: new Map() }
  const taken = new Set<Check>()
  const considered = new Set<Check>()
  const tooDear = new Map<CheckId, Used>()
  const waiting = new Set(selected)
  while (waiting.size > 0) {
    const next = mostForLeast([...waiting], (check) => needed(check).filter((one) => !considered.has(one)), costOf)
    waiting.delete(next)
    for (const one of needed(next)) considered.add(one)
    if (fits(withShared(new Set([...taken, ...needed(next)])))) for (const one of needed(next)) taken.add(one)
    else tooDear.set(next.id, withShared(considered))
  }
  return { most: withShared(taken), tooDear }
}

function mostForLeast(
  waiting: readonly Check[],
  missing: (check: Check) => readonly Check[],
  costOf: (check: Check) => Used,
): Check {
  const yieldOf = (check: Check): number => {
    const bundle = [...new Set([check, ...missing(check)])]
    const { requests, tokens } = sumOf(bundle.map(costOf))
    return bundle.reduce((sum, one) => sum + worthOf(one), 0) / (1 + requests + tokens / tokensPerRequest)
  }
  const [first, ...others] = waiting.map((check) => ({ check, yield: yieldOf(check) }))
  if (first === undefined) throw new Error('nothing waits')
  return others.reduce((best, one) => (one.yield > best.yield ? one : best), first).check
}
