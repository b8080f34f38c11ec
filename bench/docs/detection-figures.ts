import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'
import { isRecord, listAt, numberAt, parseJson } from '../../src/json.ts'
import { fillBlocks, tableOf } from './blocks.ts'
import { readPage } from './pages.ts'

/** Writes the figures of a detection run (its JSON report is the first argument) into the pages that show them. */
const [file = ''] = process.argv.slice(2)
const run = parseJson(readFileSync(file, 'utf8'))
const faults = listAt(run, 'faults')
const caught = faults.filter((fault) => isRecord(fault) && fault['caught'] === true).length
const legal = numberAt(run, 'legal') ?? 0
const figures = tableOf(
  ['', ''],
  [
    ['faults caught', `${caught} of ${faults.length}`],
    ['false alarms', `${listAt(run, 'falseAlarms').length} on ${legal} legal gateways`],
    ['examined again, with a core to itself', `${listAt(run, 'secondLooks').length} of ${faults.length + legal}`],
    [
      'measured',
      `${new Date().toISOString().slice(0, 10)}, seed ${numberAt(run, 'seed')}, ${numberAt(run, 'durationS')} s`,
    ],
  ],
)
for (const page of ['README.md', 'docs/detection.md'])
  writeFileSync(join(packageFolder, page), fillBlocks(readPage(page), new Map([['detection', figures]])))
