import type { SerializedResult } from '../check/result.ts'
import type { Failure } from '../check/verdict.ts'
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

/** The failures that count: known ones do not. */
export function failures(results: readonly SerializedResult[]): readonly SerializedResult[] {
  return results.filter(({ verdict, known }) => verdict.kind === 'fail' && known === undefined)
}
