import { countOf } from '../count.ts'
import type { Report } from './report.ts'

/** What a run came to, in words that claim no more than was decided. */
export function headline({ gate, results }: Pick<Report, 'gate' | 'results'>): string {
  if (gate.exitCode === 1) return 'Not conformant'
  if (gate.exitCode !== 0) return 'Not decided'
  const known = results.filter((result) => result.known !== undefined && result.verdict.kind === 'fail').length
  if (known > 0) return `Gate passed with ${countOf(known, 'known failure')}`
  const { decided, open } = coverage(results)
  if (open === 0) return 'Conformant'
  return `Conformant in what was tested: ${decided} of ${results.length}; ${open} not decided`
}

/** The headline and the deciding fact. */
export function verdictWords(report: Pick<Report, 'gate' | 'results'>): string {
  const { exitCode, reason } = report.gate
  return exitCode === 0 ? `${headline(report)} (${reason})` : `${headline(report)}: ${reason}`
}

/** How many checks came to a result, and how many were left open; the rest is about what the gateway does not offer. */
export function coverage(results: Report['results']): { readonly decided: number; readonly open: number } {
  const count = (...kinds: readonly string[]): number =>
    results.filter(({ verdict }) => kinds.includes(verdict.kind)).length
  return { decided: count('pass', 'fail', 'observed'), open: count('untestable', 'blocked') }
}
