import type { Used } from '../target/request.ts'
import type { Check, Cost } from './check.ts'
import type { Randomness } from './values/property.ts'
import { quickRequests } from './values/telling-values.ts'

/** How a run asks, as far as it changes what a check costs. */
export type Terms = Pick<Randomness, 'runs' | 'isQuick'> & {
  /** Whether the tokens of what our nodes serve are not counted, and whether they serve the model in use. */
  readonly nodesAreOurs?: boolean
  readonly modelIsOurs?: boolean
}

const defaultCost: Used = { requests: 1, tokens: 60 }

/** What one check uses at most. */
export function costOf(
  check: Pick<Check, 'id' | 'cost' | 'phase' | 'needs'>,
  { runs, isQuick, nodesAreOurs, modelIsOurs }: Terms,
): Used {
  const { phase, needs = [] } = check
  const cost: Cost = check.cost ?? defaultCost
  const asksOurNodes = needs.includes('nodes') || needs.includes('two-nodes')
  const isFree = modelIsOurs === true || (nodesAreOurs === true && asksOurNodes)
  const tokens = isFree ? 0 : cost.tokens
  if (isQuick === true && cost.quick !== undefined) {
    const requests = quickRequests(check.id, cost.quick, cost.requests)
    return { requests, tokens: Math.ceil((tokens * requests) / cost.requests) }
  }
  const times = phase === 'random' ? runs : 1
  return { requests: cost.requests * times, tokens: tokens * times }
}
