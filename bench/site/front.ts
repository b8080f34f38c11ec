import { countOf } from '../../src/count.ts'
import { type Html, html } from '../../src/markup/html.ts'
import { folded } from '../../src/report/pages/parts/page.ts'
import { checks } from '../../suites/index.ts'
import { type Column, newestOf } from '../results.ts'
import { isOfContract } from './areas.ts'
import { columnName, sitePage } from './frame.ts'
import { tallyTable } from './tallies.ts'

/** The front page: every server in its newest version, area by area; what breaks the format and what differs from contract v1 apart. */
export function frontPage(columns: readonly Column[]): string {
  const newest = newestOf(columns)
  const head = {
    kind: 'results',
    subject: 'Servers of OpenAI-compatible chat completions',
    verdict: { tone: 'dim', words: `${countOf(newest.length, 'server')} in ${countOf(columns.length, 'version')}` },
    facts: [['checks', String(checks.length)]],
  } as const
  const body = html`<p>In each cell: failures, of the checks that were decided. A dash: nothing was.</p>
<h2>What breaks the format</h2><p>Clients of any such server rely on it.</p>${matrix(newest, (id) => !isOfContract({ id }))}
<h2>What differs from contract v1</h2><p>Wrong only where a server means to keep that contract.</p>${matrix(newest, (id) => isOfContract({ id }))}
<h2>More</h2><ul><li><a href="checks.html">Every check and every statement</a></li><li><a href="results.json">All results as data</a></li></ul>`
  return sitePage(0, head, body)
}

/** Mocks are for those who look for one: nobody runs a service on them. */
function matrix(columns: readonly Column[], isCounted: (id: string) => boolean): Html {
  const tableOf = (some: readonly Column[]): Html =>
    tallyTable(
      ['server', 'kind'],
      some,
      (column) => [html`<a href="servers/${column.server}.html">${columnName(column)}</a>`, column.kind],
      isCounted,
    )
  const [mocks, servers] = [
    columns.filter(({ kind }) => kind === 'mock'),
    columns.filter(({ kind }) => kind !== 'mock'),
  ]
  return html`${tableOf(servers)}${mocks.length > 0 && folded(countOf(mocks.length, 'mock'), tableOf(mocks))}`
}
