import { type Html, html } from '../../src/markup/html.ts'
import { table } from '../../src/markup/table.ts'
import type { Column } from '../results.ts'
import { areaOf, areas, type Tally, tallyOf } from './areas.ts'

/**
 * A row for each version: what `namesOf` says of it, then its failures in each area, of the checks that were decided and
 * that `isCounted` takes. An area in which no version has any is left out. On a phone each row is a card.
 */
export function tallyTable(
  heads: readonly string[],
  columns: readonly Column[],
  namesOf: (column: Column) => readonly (Html | string)[],
  isCounted: (id: string) => boolean,
): Html {
  const tallies = columns.map((column) => ({
    column,
    byArea: areas.map((area) => tallyOf(column, ({ id }) => areaOf(id) === area && isCounted(id))),
  }))
  const shown = areas.flatMap((area, place) =>
    tallies.some(({ byArea }) => (byArea[place]?.decided ?? 0) > 0) ? [{ area, place }] : [],
  )
  const rows = tallies.map(({ column, byArea }) => [
    ...namesOf(column),
    ...shown.map(({ place }) => tallyCell(byArea[place])),
  ])
  return html`<div class="compact">${table([...heads, ...shown.map(({ area }) => area)], rows)}</div>`
}

function tallyCell(tally: Tally | undefined): Html {
  if (tally === undefined || tally.decided === 0) return html`–`
  const failed = tally.must + tally.should
  return failed === 0
    ? html`<span class="good">✓ ${tally.decided}</span>`
    : html`<span class="bad">${failed}</span> of ${tally.decided}`
}
