import type { Check } from '../check/check.ts'
import type { Verdict } from '../check/verdict.ts'
import { countOf } from '../count.ts'
import { interruption } from '../target/unsettled.ts'
import { type KnownFailures, staleEntries } from './known-failures.ts'

/** What a gate counts: all of the contract, or only what any server of the chat-completions format claims. */
type Scope = 'contract' | 'format'

export interface GateRules {
  /** What fails the run: `should` gates both levels. */
  readonly level: 'must' | 'should'
  readonly scope: Scope
  /** Whether a run may pass with checks that the target left undecided. */
  readonly allowUndecided: boolean
  /** The release whose checks gate; newer ones run and print. */
  readonly checksOf?: string
  /** The requirement set whose checks gate; those that came later run and print. */
  readonly set?: { readonly name: string; readonly checks: readonly string[] }
  /** Known failures do not fail the run; a known failure that now passes does. */
  readonly known?: KnownFailures
}

export interface GateResult {
  readonly exitCode: 0 | 1 | 3 | 4 | 130
  /** The deciding fact, in one line. */
  readonly reason: string
}

type Judged = Pick<Check, 'level' | 'since' | 'basis'> & {
  readonly id: string
  readonly needs?: readonly unknown[]
  readonly verdict: Verdict
}

/** An undecided check never hides a failure. */
export function gate(results: readonly Judged[], rules: GateRules): GateResult {
  const cut = results.filter(isInterrupted)
  if (cut.length > 0)
    return {
      exitCode: 130,
      reason: `interrupted after ${results.length - cut.length} of ${countOf(results.length, 'check')}`,
    }
  const { level, allowUndecided, known = new Map() } = rules
  const counted = results.filter((result) => counts(result, rules))
  const failed = counted.filter((result) => gates(result, rules))
  if (!counted.some(({ verdict }) => verdict.kind === 'pass' || verdict.kind === 'fail')) {
    const those = counted.length < results.length ? ' that counts' : ''
    return { exitCode: 3, reason: `no check${those} could be decided` }
  }
  if (failed.length > 0)
    return {
      exitCode: 1,
      reason: `${countOf(failed.length, 'check')} failed at level ${level}${inScope(rules)}`,
    }
  const stale = staleEntries(known, results)
  if (stale.length > 0)
    return {
      exitCode: 1,
      reason: `known failures that pass now: ${stale.join(', ')}; remove them, or run with --update-known-failures`,
    }
  const undecided = counted.filter(
    ({ id, level: own, needs = [], verdict }) =>
      own === 'must' && needs.length === 0 && isIncomplete(verdict) && known.get(id)?.flaky !== true,
  )
  if (undecided.length > 0 && !allowUndecided) {
    return {
      exitCode: 3,
      reason: `incomplete: ${countOf(undecided.length, 'required check')} ${undecided.length === 1 ? 'was' : 'were'} left undecided by the target or the budget`,
    }
  }
  const errors = results.filter(({ verdict }) => verdict.kind === 'error')
  if (errors.length > 0) return { exitCode: 4, reason: `${countOf(errors.length, 'check')} ended in a harness error` }
  return { exitCode: 0, reason: `nothing failed at level ${level}${inScope(rules)}` }
}

function inScope({ scope, set }: Pick<GateRules, 'scope' | 'set'>): string {
  const demanded = scope === 'contract' ? '' : ` in what the ${scope} demands`
  return set === undefined ? demanded : `${demanded} of set ${set.name}`
}

/** Whether a check failed in a way that fails the run. */
export function gates(result: Judged, rules: Omit<GateRules, 'allowUndecided'>): boolean {
  const isOfLevel = result.level === 'must' || rules.level === 'should'
  return result.verdict.kind === 'fail' && isOfLevel && rules.known?.has(result.id) !== true && counts(result, rules)
}

/** Whether a check is of the scope, the release and the set that gate. */
function counts({ id, since, basis }: Judged, { scope, checksOf, set }: Omit<GateRules, 'allowUndecided'>): boolean {
  const isOfRelease = checksOf === undefined || compareVersions(since, checksOf) <= 0
  const isOfSet = set === undefined || set.checks.includes(id)
  return isOfRelease && isOfSet && (scope === 'contract' || basis !== 'contract')
}

/** Whether an interruption of the run left a check undecided. */
export function isInterrupted({ verdict }: { readonly verdict: Verdict }): boolean {
  return verdict.kind === 'untestable' && verdict.cause === 'budget' && verdict.reason === interruption
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
