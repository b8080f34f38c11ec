import { renderLoadCsv } from '../report/load-csv.ts'
import { renderLoadHtml } from '../report/load-html.ts'
import { renderLoadJson } from '../report/load-json.ts'
import { renderLoadJunit } from '../report/load-junit.ts'
import { renderLoadPrometheus } from '../report/load-prometheus.ts'
import type { LoadReport } from '../report/load-report.ts'
import { renderLoadTerminal } from '../report/load-terminal.ts'
import type { LoadFormat } from './load-options.ts'

/** One load run in one format. */
export function renderLoadReport(
  format: LoadFormat,
  report: LoadReport,
  options: { readonly color: boolean; readonly quiet: boolean },
): string {
  switch (format) {
    case 'json':
      return renderLoadJson(report)
    case 'csv':
      return renderLoadCsv(report)
    case 'junit':
      return renderLoadJunit(report)
    case 'prometheus':
      return renderLoadPrometheus(report)
    case 'html':
      return renderLoadHtml(report)
    case 'terminal':
      return `${renderLoadTerminal(report, options)}\n`
  }
}
