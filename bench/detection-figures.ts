import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../src/fixtures.ts'
import { listAt, numberAt, parseJson } from '../src/json.ts'

/** Writes the figures of a detection run (its JSON report is the first argument) into the README, between their marks. */
const [file = ''] = process.argv.slice(2)
const run = parseJson(readFileSync(file, 'utf8'))
const faults = listAt(run, 'faults')
const caught = faults.filter((fault) => (fault as { readonly caught: boolean }).caught).length
const again = listAt(run, 'secondLooks').length
const figures = [
  '| | |',
  '|---|---|',
  `| faults caught | ${caught} of ${faults.length} |`,
  `| false alarms | ${listAt(run, 'falseAlarms').length} on ${numberAt(run, 'legal')} legal gateways |`,
  `| looked at again, each with a core to itself | ${again} of ${faults.length + (numberAt(run, 'legal') ?? 0)} |`,
  `| measured | ${new Date().toISOString().slice(0, 10)}, seed ${numberAt(run, 'seed')}, ${numberAt(run, 'durationS')} s |`,
].join('\n')
const readme = join(packageFolder, 'README.md')
const marks = /(<!-- detection -->\n)[\s\S]*?(\n<!-- \/detection -->)/
writeFileSync(readme, readFileSync(readme, 'utf8').replace(marks, `$1${figures}$2`))
