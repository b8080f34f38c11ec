import type { Report } from './report.ts'

/** What a run came to, in words that claim no more than was decided. */
export function headline({ gate, results }: Pick<Report, 'gate' | 'results'>): string {
  if (gate.exitCode === 1) return 'Not conformant'
  if (gate.exitCode !== 0) return 'Not decided'
  const known = results.filter((result) => result.known !== undefined && result.verdict.kind === 'fail').length
  if (known > 0) return `Gate passed with ${known} known ${known === 1 ? 'failure' : 'failures'}`
  const open = results.filter(({ verdict }) => verdict.kind === 'untestable' || verdict.kind === 'blocked').length
  if (open === 0) return 'Conformant'
  return `Conformant in what was tested, ${results.length - open} of ${results.length} checks (${open} not decided)`
}
