import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readRunFile } from '../../src/cli/run-file.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { type JsonReport, readJson } from '../../src/report/conformance/json.ts'
import { readExchanges, readKnownTarget } from '../../src/report/evidence.ts'
import { runFolder } from '../../src/report/evidence-folder.ts'
import type { RecordedExchange } from '../../src/wire/recorded-exchange.ts'
import { checks } from '../../suites/index.ts'
import { cutToVerdict } from './cut.ts'
import { readRulings } from './rulings.ts'
import { type TapedVerdict, writeTape } from './tape.ts'

/**
 * `npm run tapes -- NAME…`: keeps of the last run of the server that `fixtures/rulings/NAME.yaml` is about what its rulings rest on
 * (`fixtures/tapes/NAME.json`), and says which failures of that run nobody has ruled on.
 */
for (const name of parseArgs({ allowPositionals: true }).positionals) {
  const ruled = readRulings().find((server) => server.name === name)
  if (ruled === undefined) throw new Error(`There is no fixtures/rulings/${name}.yaml.`)
  const { column, rulings } = ruled
  const folder = runFolder(join(packageFolder, '.cache', 'matrix', column, 'evidence'))
  const known = readKnownTarget(folder)
  if (known === undefined)
    throw new Error(`${folder} holds no evidence: npm run matrix -- ${column.replace('/', '@')} leaves it there.`)
  const document = readRunFile(folder, 'run.json').document as JsonReport
  const { target, run, results } = readJson(document, { folder, exchangesOf: (id) => readExchanges(folder, id) })
  const exchanges = new Map<string, RecordedExchange>()
  const verdicts: TapedVerdict[] = []
  for (const { id, verdict, exchanges: all } of results) {
    const check = checks.find((one) => one.id === id)
    const ruling = rulings.find((one) => one.check === id)
    if (ruling === undefined && verdict.kind === 'fail')
      process.stdout.write(`${name}: ${id} fails, and is not ruled on\n`)
    if (ruling?.class === 'true' && verdict.kind !== 'fail')
      process.stdout.write(`${name}: ${id} is ruled true, and ended in ${verdict.kind}\n`)
    // What is blocked was not drawn from its own exchanges alone; where a failure could not be decided this time, there is none to keep.
    const isKept = verdict.kind !== 'blocked' && !(ruling?.class === 'true' && verdict.kind === 'untestable')
    if (check === undefined || ruling === undefined || all.length === 0 || !isKept) continue
    const needed = await cutToVerdict(check, verdict, all, { target, run, known })
    if (needed === undefined) process.stdout.write(`${name}: ${id} cannot be drawn again from its exchanges\n`)
    else verdicts.push({ check: check.id, verdict, exchanges: needed.map(placeOf) })
  }
  writeTape(name, {
    recorded: run.startedAt.slice(0, 10),
    target,
    run,
    known,
    verdicts,
    exchanges: [...exchanges.values()],
  })

  /** Several checks may look at one exchange, which is kept once. */
  function placeOf(exchange: RecordedExchange): number {
    const key = JSON.stringify(exchange)
    exchanges.set(key, exchange)
    return [...exchanges.keys()].indexOf(key)
  }
}
