import { renderLoadPage } from '../pages/load.ts'
import { renderLoadCsv } from './csv.ts'
import { renderLoadJson } from './json.ts'
import { renderLoadJunit } from './junit.ts'
import { renderLoadPrometheus } from './prometheus.ts'
import type { LoadReport } from './report.ts'
import { renderLoadTerminal } from './terminal.ts'

export interface LoadFormatEntry {
  /** For whom it is, as the documentation says it. */
  readonly about: string
  render(report: LoadReport, options: { readonly color: boolean; readonly quiet: boolean }): string
}

/** The formats of `assay load --report`. */
export const loadFormats = {
  terminal: {
    about: 'for people: how it ended, what was measured, how far to trust it',
    render: (report, options) => `${renderLoadTerminal(report, options)}\n`,
  },
  json: { about: 'for programs; `fixtures/report/load.schema.json` describes it', render: renderLoadJson },
  csv: { about: 'a line for each second', render: renderLoadCsv },
  html: { about: 'one page with charts', render: renderLoadPage },
  junit: { about: 'for CI servers: a case for each objective', render: renderLoadJunit },
  prometheus: { about: 'for a textfile collector or a push gateway', render: renderLoadPrometheus },
} as const satisfies Record<string, LoadFormatEntry>

export type LoadFormat = keyof typeof loadFormats
