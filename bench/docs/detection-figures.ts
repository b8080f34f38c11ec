import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { relayFaults } from '../../detection/relay-table/faults.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { isRecord, listAt, numberAt, parseJson, textAt } from '../../src/json.ts'
import { fillBlocks, tableOf } from './blocks.ts'
import { readPage } from './pages.ts'
import { relayMatrix } from './relay-matrix.ts'

/** Writes the figures of a detection run (its JSON report is the first argument) into the pages that show them. */
const [file = ''] = process.argv.slice(2)
const run = parseJson(readFileSync(file, 'utf8'))
const caught = new Map(
  listAt(run, 'faults').map((fault) => [textAt(fault, 'name') ?? '', isRecord(fault) && fault['caught'] === true]),
)
const isCell = (name: string): boolean => Object.hasOwn(relayFaults, name)
const shareOf = (names: readonly string[]): string =>
  `${names.filter((name) => caught.get(name)).length} of ${names.length}`
const names = [...caught.keys()]
const legal = numberAt(run, 'legal') ?? 0
const figures = tableOf(
  ['', ''],
  [
    ['faults caught', shareOf(names.filter((name) => !isCell(name)))],
    ['cells of the relay table caught', shareOf(names.filter(isCell))],
    ['false alarms', `${listAt(run, 'falseAlarms').length} on ${legal} legal gateways`],
    ['examined again, with a core to itself', `${listAt(run, 'secondLooks').length} of ${names.length + legal}`],
    ['measured', measured()],
  ],
)
// A run of the cells by themselves says nothing of the rest.
if (names.some((name) => !isCell(name)))
  for (const page of ['README.md', 'docs/detection.md']) fill(page, new Map([['detection', figures]]))
if (Object.keys(relayFaults).every((name) => caught.has(name)))
  fill(
    'docs/relay-table.md',
    new Map([
      [
        'relay-matrix',
        `${relayMatrix(caught)}\n\n${shareOf(names.filter(isCell))} cells caught, measured ${measured()}.`,
      ],
    ]),
  )

function measured(): string {
  return `${new Date().toISOString().slice(0, 10)}, seed ${numberAt(run, 'seed')}, ${numberAt(run, 'durationS')} s`
}

function fill(page: string, parts: ReadonlyMap<string, string>): void {
  writeFileSync(join(packageFolder, page), fillBlocks(readPage(page), parts))
}
