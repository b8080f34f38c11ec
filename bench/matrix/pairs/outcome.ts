import type { Verdict } from '../../../src/check/verdict.ts'

/** What one of the named checks came to in one of the two releases. */
export interface PairCell {
  readonly id: string
  readonly verdict: Verdict['kind']
  readonly what?: string
  readonly expected?: string
  readonly actual?: string
}

/** The verdicts of one release, or why there are none. */
export type Release = { readonly cells: readonly PairCell[] } | { readonly problem: string }

/** `told`: every named check failed before and passes after. `missed` and `not-run` say why not. */
export type Outcome = { readonly kind: 'told' } | { readonly kind: 'missed' | 'not-run'; readonly reason: string }

export function outcomeOf(before: Release, after: Release): Outcome {
  if ('problem' in before) return { kind: 'not-run', reason: before.problem }
  if ('problem' in after) return { kind: 'not-run', reason: after.problem }
  const reasons = [
    ...before.cells.flatMap(({ id, verdict }) => (verdict === 'fail' ? [] : [`${id} did not fail before: ${verdict}`])),
    ...after.cells.flatMap(({ id, verdict }) => (verdict === 'pass' ? [] : [`${id} does not pass after: ${verdict}`])),
  ]
  if (before.cells.length === 0 || after.cells.length === 0) reasons.push('no check was run')
  return reasons.length === 0 ? { kind: 'told' } : { kind: 'missed', reason: reasons.join('; ') }
}
