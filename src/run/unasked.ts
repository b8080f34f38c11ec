import type { Check } from '../check/check.ts'
import type { CheckId } from '../check/check-ids.ts'
import { costOf, type Terms } from '../check/cost.ts'
import type { SerializedResult } from '../check/result.ts'
import type { Unasked } from '../report/unasked.ts'
import { isNeed } from './budget/plan.ts'

interface Spent {
  readonly requests: number
  /** How many of them were answered with 429. */
  readonly limited?: number
  /** How many of them were answered with 503. */
  readonly unavailable?: number
  readonly durationMs: number
  /** The most that it could be. */
  readonly durationMsMax: number
  readonly terms: Terms
  /** The options that make room for every check; absent where there was room. */
  readonly roomForAll?: string
}

/** Advised at least, as a multiple of what was too short: what is left at the end goes one at a time, and partly waits. */
const moreTime = 1.6

/** From this share on, it is the rate limit that takes the time. */
const limitedShareMin = 0.05

/** From this share on, the target has closed: more time would go where this went. */
const unavailableShareMin = 0.5

const closing: CheckId = 'http.bad-requests-close-nothing'

/** What a run had neither time nor requests for, and which option would do; undefined where nothing is missing. */
export function unaskedOf(
  results: readonly Pick<SerializedResult, 'id' | 'level' | 'needs' | 'verdict'>[],
  checks: readonly Check[],
  { requests, limited = 0, unavailable = 0, durationMs, durationMsMax, terms, roomForAll }: Spent,
): Unasked | undefined {
  const left = results.filter(({ verdict }) => verdict.kind === 'untestable' && verdict.cause === 'budget')
  const reasons = left.flatMap(({ verdict }) => (verdict.kind === 'untestable' ? [verdict.reason] : []))
  if (reasons.length === 0) return undefined
  const costs = new Map(checks.map((check) => [check.id as string, costOf(check, terms).requests]))
  const missing = left.reduce((sum, { id }) => sum + (costs.get(id) ?? 0), 0)
  const msEach = durationMs / Math.max(1, requests)
  // Some requests take far longer than most: what was too little is not advised again.
  const enoughMs = Math.max(durationMs + missing * msEach, durationMsMax * moreTime)
  const isLimited = limited >= requests * limitedShareMin && limited > 0
  const limits = isLimited
    ? `, ${limited} of ${requests} answered with 429: a higher rate limit spares the waiting`
    : ''
  const stopped = reasons.find((reason) => !isNeed(reason))
  const reason = stopped ?? 'the budget has no room for everything'
  return {
    checks: left.length,
    must: left.filter(({ level, needs }) => level === 'must' && needs.length === 0).length,
    reason,
    ...(reason.includes('--max-time') && {
      advice:
        unavailable >= requests * unavailableShareMin && unavailable > 0
          ? `${unavailable} of ${requests} requests were answered with 503, which more time does not change: --only ${closing} tells, right after a restart, whether bad requests close it`
          : `--max-time ${roundedUp(enoughMs / 1000, 50)} should do, at ${inWords(msEach)} a request${limits}`,
    }),
    ...(reason.includes('--max-requests') && {
      advice: `--max-requests ${roundedUp(requests + missing, 500)} should do`,
    }),
    ...(stopped === undefined && roomForAll !== undefined && { advice: `${roomForAll} would do` }),
  }
}

function roundedUp(value: number, step: number): number {
  return Math.ceil(value / step) * step
}

function inWords(ms: number): string {
  return ms < 1000 ? `${Math.ceil(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
