import { countOf } from '../../src/count.ts'
import { type Html, html } from '../../src/markup/html.ts'
import { folded } from '../../src/report/pages/parts/page.ts'
import type { Cell, Column } from '../results.ts'
import { failuresOf, isOfContract } from './areas.ts'
import { changeBetween, changedList } from './changes.ts'
import { columnFile, grid, sitePage } from './frame.ts'
import { tallyTable } from './tallies.ts'

/** A server with all its versions, the newest first: what each came to, what changed from one to the next, what fails now. */
export function serverPage(columns: readonly Column[]): string {
  const [newest] = columns
  if (newest === undefined) throw new Error('a server without a version')
  const failures = failuresOf(newest)
  const head = {
    kind: newest.kind,
    subject: newest.title,
    verdict: {
      tone: failures.length === 0 ? 'good' : 'bad',
      words: `${countOf(failures.length, 'failure')} in ${newest.version}`,
    },
    facts: [
      ['from', newest.from],
      ['judged', newest.date],
      ['assay', `${newest.assay}, set ${newest.set}`],
    ],
  } as const
  const observed = newest.results.filter(({ verdict }) => verdict === 'observed')
  return sitePage(
    1,
    head,
    html`<p><img src="../badges/${newest.server}.svg" alt="${countOf(failures.length, 'failure')}"></p>
<h2>History</h2>${history(columns)}
<h2>What failed in ${newest.version}</h2>${failures.map(failure)}
<h2>What it does where nothing is demanded</h2>${folded(
      countOf(observed.length, 'observation'),
      grid(
        ['check', 'seen'],
        observed.map(({ id, value }) => [checkLink(id), html`<code>${JSON.stringify(value) ?? ''}</code>`]),
      ),
    )}
<h2>Repeat it</h2>${newest.repeat.map((line) => html`<pre>${line}</pre>`)}<p class="dim">Evidence: ${newest.evidence}</p>`,
  )
}

function history(columns: readonly Column[]): Html {
  return html`${tallyTable(
    ['version', 'judged'],
    columns,
    (column) => [
      html`<a href="../differences/${columnFile(column)}">${column.version}</a>`,
      html`<span class="nowrap">${column.date}</span>`,
    ],
    () => true,
  )}${columns.slice(0, -1).map((column, place) => {
    const before = columns[place + 1]
    return before === undefined
      ? html``
      : html`<p><strong>${before.version} → ${column.version}:</strong> ${changedList(changeBetween(before, column))}</p>`
  })}`
}

function failure(cell: Cell): Html {
  const { id, what, expected, actual, curl, answer } = cell
  return html`<h3>${checkLink(id)} <span class="dim">${isOfContract(cell) ? 'contract v1' : 'format'}</span></h3>
<p>${what}: expected ${expected}, got ${actual}</p>${curl !== undefined && folded('Exchange', html`<pre>${curl}</pre><pre>${answer}</pre>`)}`
}

function checkLink(id: string): Html {
  return html`<a href="../checks/${id}.html">${id}</a>`
}
