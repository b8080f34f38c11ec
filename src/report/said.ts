import type { SerializedResult } from '../check/result.ts'
import type { Failure, Verdict } from '../check/verdict.ts'
import { countOf } from '../count.ts'

/** What a verdict says besides its name, in one line. */
export function saidOf({ verdict }: Pick<SerializedResult, 'verdict'>): string {
  switch (verdict.kind) {
    case 'pass':
      return countOf(verdict.proofs, 'proof')
    case 'fail':
      return failureIn(verdict)
    case 'observed':
      return JSON.stringify(verdict.value) ?? ''
    case 'error':
      return verdict.message
    case 'blocked':
      return `blocked by ${verdict.by}${
        verdict.root === undefined ? '' : `, which was not selected and failed (${failureIn(verdict.root)})`
      }${verdict.saw === undefined ? '' : `, which has the same cause (${failureIn(verdict.saw)})`}`
    case 'untestable':
    case 'not-applicable':
      return verdict.reason
  }
}

/** What a failure means, in a sentence; what was found, in a report of a release that did not say it. */
export function sentenceOf(failure: Failure): string {
  return failure.wrong ?? failureIn(failure)
}

/** A failure line by line: what it means, if the report is of a release that says it, the rule, and what was found. */
export function failureLines(failure: Failure, rule?: string): readonly string[] {
  const { wrong } = failure
  return [...(wrong === undefined ? [] : [wrong]), ...(rule === undefined ? [] : [`Rule: ${rule}`]), failureIn(failure)]
}

export function failureIn({ what, expected, actual }: Failure): string {
  return `${what}: expected ${expected}, got ${actual}`
}

/** Whether a failure of this level and basis fails a run that is gated so. */
export function isGated(
  { level, basis }: Pick<SerializedResult, 'level' | 'basis'>,
  gate: { readonly level: 'must' | 'should'; readonly scope?: 'contract' | 'format' },
): boolean {
  return (level === 'must' || gate.level === 'should') && (gate.scope !== 'format' || basis !== 'contract')
}

export type FailedResult = SerializedResult & { readonly verdict: Extract<Verdict, { readonly kind: 'fail' }> }

/** The failures that count: known ones do not. */
export function failures(results: readonly SerializedResult[]): readonly FailedResult[] {
  return results.filter(
    (result): result is FailedResult => result.verdict.kind === 'fail' && result.known === undefined,
  )
}
