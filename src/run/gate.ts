import type { Check } from '../check/check.ts'
import type { Verdict } from '../check/verdict.ts'
import { type KnownFailures, staleEntries } from './known-failures.ts'

export interface GateRules {
  /** What fails the run: `should` gates both levels. */
  readonly level: 'must' | 'should'
  /** Whether a run may pass with checks that the target left undecided. */
  readonly allowUndecided: boolean
  /** The release whose checks gate; newer ones run and print. */
  readonly checksOf?: string
  /** Known failures do not fail the run; a known failure that now passes does. */
  readonly known?: KnownFailures
}

export interface GateResult {
  readonly exitCode: 0 | 1 | 3 | 4
  /** The deciding fact, in one line. */
  readonly reason: string
}

type Judged = Pick<Check, 'level' | 'since'> & {
  readonly id: string
  readonly needs?: readonly unknown[]
  readonly verdict: Verdict
}

/** An undecided check never hides a failure. */
export function gate(
  results: readonly Judged[],
  { level, allowUndecided, checksOf, known = new Map() }: GateRules,
): GateResult {
  const gating = results.filter((result) => isOfRelease(result, checksOf))
  const failed = results.filter((result) =>
    gates(result, { level, known, ...(checksOf !== undefined && { checksOf }) }),
  )
  if (!results.some(({ verdict }) => verdict.kind === 'pass' || verdict.kind === 'fail')) {
    return { exitCode: 3, reason: 'no check could be decided' }
  }
  if (failed.length > 0)
    return {
      exitCode: 1,
      reason: `${failed.length} ${failed.length === 1 ? 'check' : 'checks'} failed at level ${level}`,
    }
  const stale = staleEntries(known, results)
  if (stale.length > 0)
    return {
      exitCode: 1,
      reason: `known failures that pass now: ${stale.join(', ')}; remove them, or run with --update-known-failures`,
    }
  const undecided = gating.filter(
    ({ id, level: own, needs = [], verdict }) =>
      own === 'must' && needs.length === 0 && isIncomplete(verdict) && known.get(id)?.flaky !== true,
  )
  if (undecided.length > 0 && !allowUndecided) {
    return {
      exitCode: 3,
      reason: `incomplete: ${undecided.length} required checks were left undecided by the target or the budget`,
    }
  }
  const errors = results.filter(({ verdict }) => verdict.kind === 'error')
  if (errors.length > 0) return { exitCode: 4, reason: `${errors.length} checks ended in a harness error` }
  return { exitCode: 0, reason: `nothing failed at level ${level}` }
}

/** Whether a check failed in a way that fails the run. */
export function gates(
  { id, since, verdict, level: own }: Judged,
  { level, checksOf, known = new Map() }: Pick<GateRules, 'level' | 'checksOf' | 'known'>,
): boolean {
  const counts = own === 'must' || level === 'should'
  return verdict.kind === 'fail' && counts && !known.has(id) && isOfRelease({ since }, checksOf)
}

function isOfRelease({ since }: Pick<Judged, 'since'>, checksOf: string | undefined): boolean {
  return checksOf === undefined || compareVersions(since, checksOf) <= 0
}

function isIncomplete(verdict: Verdict): boolean {
  return verdict.kind === 'untestable' && (verdict.cause === 'target' || verdict.cause === 'budget')
}

/** Negative when `a` is the older release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  for (let place = 0; place < 3; place += 1) {
    const difference = (left?.[place] ?? 0) - (right?.[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
