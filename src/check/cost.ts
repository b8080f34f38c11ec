import { HarnessError } from '../harness-error.ts'
import type { Prepared } from '../target/prepare.ts'
import { type Check, costOf } from './check.ts'

export interface WorstCase {
  readonly requests: number
  readonly tokens: number
  /** At the listed price of the model in use; null when the list has no credible price. */
  readonly usd: number | null
}

/** What the checks may cost at most. */
export function worstCase(checks: readonly Check[], runs: number, prepared: Prepared): WorstCase {
  const costs = checks.map((check) => costOf(check, runs))
  const requests = costs.reduce((sum, cost) => sum + cost.requests, 0)
  const tokens = costs.reduce((sum, cost) => sum + cost.tokens, 0)
  return { requests, tokens, usd: costUsd(tokens, prepared) }
}

/** The price of some tokens of the model in use, in US dollars. */
export function costUsd(tokens: number, { roster, model }: Prepared): number | null {
  const listed = roster.find(({ id }) => id === model)
  const price = Math.max(listed?.promptPrice ?? -1, listed?.completionPrice ?? -1)
  return price < 0 ? null : (tokens * price) / 1e6
}

/** Throws if the worst case costs more than the user allows. */
export function refuseAbove(maxUsd: number, { usd, tokens }: WorstCase): void {
  if (usd === null || usd <= maxUsd) return
  throw new HarnessError(
    'too-dear',
    `The run may cost $${usd.toFixed(4)} (${tokens} tokens), and --max-cost allows $${maxUsd}.`,
  )
}
