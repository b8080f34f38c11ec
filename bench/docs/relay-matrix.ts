import { type How, hows } from '../../detection/relay-table/hows.ts'
import { type Reason, reasons } from '../../detection/relay-table/reasons.ts'
import { type Cell, cells, nameOf, type WhatId, whats } from '../../detection/relay-table/table.ts'
import { whens } from '../../detection/relay-table/whens.ts'
import { tableOf } from './blocks.ts'

/** How the matrix shows a reason. */
const signs: Readonly<Record<Reason, string>> = {
  'no-such-thing': '',
  'no-such-time': '',
  open: 'o',
  engines: 'e',
  unseen: 'u',
  elsewhere: '=',
  rare: '',
}

/** What may happen to a value, when, and why some cells are empty: the axes of the relay table. */
export function relayAxes(): string {
  const count = (reason: Reason | undefined): string => String(cells.filter((cell) => cell.reason === reason).length)
  return [
    tableOf(
      ['column', 'what happens to it'],
      Object.entries(hows).map(([how, about], at) => [String(at + 1), `${about} (\`${how}\`)`]),
    ),
    tableOf(
      ['when', ''],
      Object.entries(whens).map(([when, { about }]) => [`\`${when}\``, about]),
    ),
    tableOf(
      ['sign', 'cells', ''],
      [
        ['', count(undefined), 'a gateway that does it'],
        ...Object.entries(reasons).map(([reason, about]) => [signs[reason as Reason], count(reason as Reason), about]),
      ],
    ),
  ].join('\n\n')
}

/** How many of the cells of each what and how were caught. */
export function relayMatrix(caught: ReadonlyMap<string, boolean>): string {
  const columns = Object.keys(hows) as How[]
  const rows = (Object.keys(whats) as WhatId[]).map((what) => {
    const own = cells.filter((cell) => cell.what === what)
    return [
      `\`${what}\``,
      ...columns.map((how) =>
        entryOf(
          own.filter((cell) => cell.how === how),
          caught,
        ),
      ),
    ]
  })
  return tableOf(['', ...columns.map((_, at) => String(at + 1))], rows)
}

function entryOf(own: readonly Cell[], caught: ReadonlyMap<string, boolean>): string {
  const filled = own.filter(({ reason }) => reason === undefined)
  const reason = own[0]?.reason
  if (filled.length === 0) return reason === undefined ? '' : signs[reason]
  return `${filled.filter((cell) => caught.get(nameOf(cell)) === true).length}/${filled.length}`
}
