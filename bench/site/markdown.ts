import { tableOf } from '../docs/blocks.ts'
import { readJudgedPairs } from '../matrix/pairs/results.ts'
import { type Column, newestOf, readColumns } from '../results.ts'
import { areaOf, areas, failuresOf, isOfContract, type Tally, tallyOf } from './areas.ts'
import { changeBetween } from './changes.ts'
import { pairsInMarkdown } from './pairs.ts'

/** The parts of the pages that say what was found in real servers, by their names. */
export function resultsInMarkdown(): ReadonlyMap<string, string> {
  const columns = readColumns()
  const newest = newestOf(columns)
  return new Map([
    ['front-matrix', frontMatrix(newest)],
    ['front-gateways', frontMatrix(newest.filter(({ kind }) => kind !== 'mock'))],
    ['versions', versions(columns)],
    ['changes', changes(columns)],
    ['pairs', pairsInMarkdown(readJudgedPairs())],
    ['red-cells', newest.map(redCells).join('\n\n')],
    ['found', found(columns)],
  ])
}

/** In each cell the failures, of the checks that were decided. */
function frontMatrix(columns: readonly Column[]): string {
  // Nothing of money is decided without accounts, which only the reference has here.
  const shown = areas.filter((area) => area !== 'money')
  return tableOf(
    ['server', '', ...shown, 'contract v1'],
    columns.map((column) => [
      `${column.server} ${column.version}`,
      column.kind,
      ...shown.map((area) => cellOf(tallyOf(column, (cell) => areaOf(cell.id) === area && !isOfContract(cell)))),
      cellOf(tallyOf(column, isOfContract)),
    ]),
  )
}

function cellOf({ decided, must, should }: Tally): string {
  if (decided === 0) return '–'
  return must + should === 0 ? `✓ ${decided}` : `**${must + should}** of ${decided}`
}

function versions(columns: readonly Column[]): string {
  return tableOf(
    [
      'server',
      'version',
      'judged',
      'decided',
      'break the format: must / should',
      'differ from contract v1: must / should',
      's',
    ],
    columns.map((column) => {
      const [format, contract] = [tallyOf(column, (cell) => !isOfContract(cell)), tallyOf(column, isOfContract)]
      return [
        column.title,
        column.version,
        column.date,
        String(format.decided + contract.decided),
        `${format.must} / ${format.should}`,
        `${contract.must} / ${contract.should}`,
        (column.run.durationMs / 1000).toFixed(0),
      ]
    }),
  )
}

/** What changed from each version to the next one that was judged, where both decided it. */
function changes(columns: readonly Column[]): string {
  const rows = columns.flatMap((column, place) => {
    const before = columns[place + 1]
    if (before?.server !== column.server) return []
    const { broken, mended } = changeBetween(before, column)
    const listed = (ids: readonly string[]): string => ids.map((id) => `\`${id}\``).join(', ')
    if (broken.length + mended.length === 0) return []
    return [[column.server, `${before.version} → ${column.version}`, listed(mended), listed(broken)]]
  })
  return tableOf(['server', 'versions', 'mended', 'fails now'], rows)
}

function redCells(column: Column): string {
  const rows = failuresOf(column).map(
    (cell) =>
      `- \`${cell.id}\`${isOfContract(cell) ? ' (contract v1)' : ''} ${inLine(cell.what)}: expected ${inLine(cell.expected)}, got ${inLine(cell.actual)}`,
  )
  return [`### ${column.title} ${column.version}`, rows.length === 0 ? 'Nothing failed.' : rows.join('\n')].join('\n\n')
}

function found(columns: readonly Column[]): string {
  const servers = new Set(columns.map(({ server }) => server)).size
  const failures = columns.reduce((sum, column) => sum + failuresOf(column).length, 0)
  return `- **It found real failures**: ${failures} in ${columns.length} versions of [${servers} servers](docs/gateways.md), each on record with its request and the answer.`
}

const shownCharsMax = 160

/** Text that cannot break a list, nor begin a tag. */
function inLine(text = ''): string {
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;')
  return plain.length > shownCharsMax ? `${plain.slice(0, shownCharsMax)}…` : plain
}
