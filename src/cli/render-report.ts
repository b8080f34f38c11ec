import { checks } from '../../suites/index.ts'
import { readContract } from '../fixtures.ts'
import { renderBadge, renderBadgeSvg } from '../report/badge.ts'
import { renderConformanceHtml } from '../report/conformance-html.ts'
import { renderGithub } from '../report/github.ts'
import { renderJson } from '../report/json.ts'
import { renderJunit } from '../report/junit.ts'
import { renderMarkdown } from '../report/markdown.ts'
import { renderPassport, renderPassportHtml } from '../report/passport.ts'
import type { Report } from '../report/report.ts'
import type { Rules } from '../report/rule.ts'
import { renderSarif } from '../report/sarif.ts'
import { renderTerminal } from '../report/terminal.ts'
import type { ReportFormat } from './conformance-options.ts'

export interface RenderOptions {
  readonly color: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  /** Where it will be written: a badge is a picture and a passport a page in a file that is called one. */
  readonly file?: string
}

/** One run in one format. */
export function renderReport(format: ReportFormat, report: Report, options: RenderOptions): string {
  const contract = readContract()
  switch (format) {
    case 'json':
      return renderJson(report)
    case 'junit':
      return renderJunit(report)
    case 'terminal':
      return `${renderTerminal(report, { ...options, contract })}\n`
    case 'html':
      return renderConformanceHtml(report, rules(), contract)
    case 'markdown':
      return renderMarkdown(report, rules(), contract)
    case 'sarif':
      return renderSarif(report, rules())
    case 'github':
      return renderGithub(report, rules())
    case 'badge':
      return options.file?.endsWith('.svg') === true ? renderBadgeSvg(report) : renderBadge(report)
    case 'passport':
      return options.file?.endsWith('.html') === true
        ? renderPassportHtml(report, rules(), contract)
        : renderPassport(report, rules())
  }
}

function rules(): Rules {
  const statements = new Map(readContract().flatMap((clause) => clause.statements.map(({ id, text }) => [id, text])))
  return new Map(
    checks.map(({ id, level, clause, why, fix, states }) => [
      id,
      { id, level, clause, why, fix, statements: states.map((state) => statements.get(state) ?? state) },
    ]),
  )
}
