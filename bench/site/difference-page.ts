import { html } from '../../src/markup/html.ts'
import type { Column } from '../results.ts'
import { changeBetween, changedList } from './changes.ts'
import { columnName, sitePage } from './frame.ts'

/** One version beside every other one, of all servers: on which checks it differs from each. */
export function differencePage(column: Column, all: readonly Column[]): string {
  const name = columnName(column)
  const head = {
    kind: 'differences',
    subject: name,
    verdict: { tone: 'dim', words: 'Beside every other version' },
    facts: [],
  } as const
  const words = { broken: 'only this fails', mended: 'only the other fails' }
  const rows = all
    .filter((other) => other !== column)
    .map(
      (other) =>
        html`<details><summary>${columnName(other)}</summary>${changedList(changeBetween(other, column), words)}</details>`,
    )
  return sitePage(1, head, html`<p>Checks that one of the two passes and the other fails.</p>${rows}`)
}
