import { countOf } from '../../src/count.ts'
import { html } from '../../src/markup/html.ts'
import type { Column } from '../results.ts'
import { changeBetween, changedList } from './changes.ts'
import { columnName, columnNames, sitePage } from './frame.ts'

/** One version beside every other one, of all servers: on which checks it differs from each. */
export function differencePage(column: Column, all: readonly Column[]): string {
  const name = columnName(column)
  const head = {
    kind: 'differences',
    subject: name,
    verdict: { tone: 'dim', words: 'Beside every other version' },
    facts: [],
  } as const
  const words = { broken: 'Only this fails', mended: 'Only the other fails' }
  const others = all
    .filter((other) => other !== column)
    .map((other) => ({ other, change: changeBetween(other, column) }))
  // Versions that differ from this one in the same checks share an entry.
  const groups = [...Map.groupBy(others, ({ change }) => JSON.stringify(change)).values()]
  const entries = groups.map((some) => {
    const names = columnNames(some.map(({ other }) => other))
    const { broken, mended } = some[0]?.change ?? { broken: [], mended: [] }
    return html`<details><summary>${names}: ${countOf(broken.length + mended.length, 'check')}</summary>${changedList({ broken, mended }, words)}</details>`
  })
  return sitePage(
    1,
    head,
    html`<p>Checks that one of the two passes and the other fails.</p><div class="groups">${entries}</div>`,
  )
}
