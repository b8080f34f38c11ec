import type { Clause } from '../../contract/clauses.ts'
import { renderConformancePage } from '../pages/conformance.ts'
import { renderPassportPage } from '../pages/passport.ts'
import type { Report } from '../report.ts'
import type { Rules } from '../rule.ts'
import { renderBadge, renderBadgeSvg } from './badge.ts'
import { renderGithub } from './github.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderMarkdown } from './markdown.ts'
import { passportOf, renderPassport } from './passport.ts'
import { renderSarif } from './sarif.ts'
import { renderTerminal } from './terminal.ts'

/** What a format may use besides the run. */
export interface RenderContext {
  readonly contract: readonly Clause[]
  readonly rules: Rules
  readonly color: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  /** The width of the terminal that shows it; absent where none does. */
  readonly columns?: number
  /** The file that it is written to: a badge in `.svg` is a picture, a passport in `.html` a page. */
  readonly file?: string
}

interface Format {
  /** Whom it is for, as the documentation says it. */
  readonly about: string
  render(report: Report, context: RenderContext): string
}

/** The formats of `assay conformance --report`. */
export const reportFormats = {
  terminal: {
    about: 'for people: failures in full, a line for each clause',
    render: (report, context) => `${renderTerminal(report, context)}\n`,
  },
  json: { about: 'for programs; `fixtures/report/report.schema.json` describes it', render: renderJson },
  junit: {
    about: 'for CI servers: a suite for each clause, a case for each check',
    render: (report, { rules }) => renderJunit(report, rules),
  },
  html: {
    about: 'one page with every failure and its exchange',
    render: (report, { rules, contract }) => renderConformancePage(report, rules, contract),
  },
  markdown: {
    about: 'for pull requests and step summaries',
    render: (report, { rules, contract }) => renderMarkdown(report, rules, contract),
  },
  sarif: { about: 'SARIF 2.1.0, for code scanning', render: (report, { rules }) => renderSarif(report, rules) },
  github: { about: 'annotations of GitHub Actions', render: (report, { rules }) => renderGithub(report, rules) },
  badge: {
    about: 'JSON for badge services, or a picture in a file that ends in `.svg`',
    render: (report, { file }) => (file?.endsWith('.svg') === true ? renderBadgeSvg(report) : renderBadge(report)),
  },
  passport: {
    about: 'what was observed where the contract is silent: JSON, or a page in a file that ends in `.html`',
    render: (report, { rules, contract, file }) =>
      file?.endsWith('.html') === true
        ? renderPassportPage(passportOf(report, rules), rules, contract)
        : renderPassport(report, rules),
  },
} as const satisfies Record<string, Format>

export type ReportFormat = keyof typeof reportFormats
