import type { SerializedResult } from '../check/result.ts'

/** What a verdict says besides its name, in one line. */
export function saidOf({ verdict }: Pick<SerializedResult, 'verdict'>): string {
  switch (verdict.kind) {
    case 'pass':
      return `${verdict.proofs} proofs`
    case 'fail':
      return `${verdict.what}: expected ${verdict.expected}, got ${verdict.actual}`
    case 'observed':
      return JSON.stringify(verdict.value) ?? ''
    case 'error':
      return verdict.message
    case 'blocked':
      return `blocked by ${verdict.by}`
    case 'untestable':
    case 'not-applicable':
      return verdict.reason
  }
}

/** The failures that count: known ones do not. */
export function failures(results: readonly SerializedResult[]): readonly SerializedResult[] {
  return results.filter(({ verdict, known }) => verdict.kind === 'fail' && known === undefined)
}
