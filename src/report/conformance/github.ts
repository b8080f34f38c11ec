import { verdictWords } from '../headline.ts'
import type { Report } from '../report.ts'
import { failuresInOrder } from '../roots.ts'
import type { Rules } from '../rule.ts'
import { failureLines, isGated } from '../said.ts'

/** Workflow commands of GitHub Actions: an annotation for each failure, the gravest first, and one for the verdict. */
export function renderGithub(report: Report, rules: Rules): string {
  const { gate, results, target } = report
  const lines = failuresInOrder(results, report.roots).map((result) => {
    const severity = isGated(result, gate) ? 'error' : 'warning'
    const rule = rules.get(result.id)?.statements[0]
    return command(severity, `${result.id} (${result.level})`, failureLines(result.verdict, rule).join('\n'))
  })
  const verdict = command(
    gate.exitCode === 0 ? 'notice' : 'error',
    `Assay: ${verdictWords(report)}`,
    `${target.baseUrl}${target.apiPath}`,
  )
  return `${[...lines, verdict].join('\n')}\n`
}

function command(severity: 'error' | 'warning' | 'notice', title: string, message: string): string {
  return `::${severity} title=${property(title)}::${data(message)}`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
