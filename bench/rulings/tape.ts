import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CheckId } from '../../src/check/check-ids.ts'
import type { Verdict } from '../../src/check/verdict.ts'
import { packageFolder, readFixture } from '../../src/fixtures.ts'
import { type KeptRun, redraw } from '../../src/run/redraw.ts'
import type { RecordedExchange } from '../../src/wire/recorded-exchange.ts'
import { checks } from '../../suites/index.ts'

/** The exchanges behind the rulings on one server: enough to draw their verdicts again. */
export interface Tape extends KeptRun {
  /** ISO 8601. */
  readonly recorded: string
  readonly verdicts: readonly TapedVerdict[]
  readonly exchanges: readonly RecordedExchange[]
}

export interface TapedVerdict {
  readonly check: CheckId
  readonly verdict: Verdict
  /** Places in the list of exchanges. */
  readonly exchanges: readonly number[]
}

export const tapesFolder = join(packageFolder, 'fixtures', 'tapes')
const fileOf = (name: string): string => join(tapesFolder, `${name}.json`)

export function readTape(name: string): Tape | undefined {
  return existsSync(fileOf(name)) ? JSON.parse(readFixture('tapes', `${name}.json`)) : undefined
}

/** Folders of one machine, which servers name in their errors, get names as long as their own, so that pieces keep their lengths. */
function withoutFolders(text: string): string {
  const shown = (folder: string, name: string): string => name.padEnd(folder.length, '-').slice(0, folder.length)
  return text
    .replaceAll(packageFolder, shown(packageFolder, '/srv/judged'))
    .replaceAll(homedir(), shown(homedir(), '/home'))
}

/** A line for each verdict and exchange, so that a change can be read. */
export function writeTape(name: string, { verdicts, exchanges, ...run }: Tape): void {
  const lines = (list: readonly object[]): string => list.map((one) => JSON.stringify(one)).join(',\n')
  const head = JSON.stringify(run).slice(0, -1)
  const text = `${head},\n"verdicts":[\n${lines(verdicts)}\n],\n"exchanges":[\n${lines(exchanges)}\n]}\n`
  writeFileSync(fileOf(name), withoutFolders(text))
}

/** The verdicts of a tape, as they were and as the checks draw them now. */
export async function drawAgain(
  tape: Tape | undefined,
): Promise<readonly { readonly check: CheckId; readonly taped: string; readonly again: string }[]> {
  if (tape === undefined) return []
  return Promise.all(
    tape.verdicts.map(async ({ check: id, verdict, exchanges: places }) => {
      const check = checks.find((one) => one.id === id)
      const exchanges = places.flatMap((place) => tape.exchanges[place] ?? [])
      const again = check === undefined ? undefined : await redraw(check, exchanges, tape)
      return { check: id, taped: essenceOf(verdict), again: essenceOf(again) }
    }),
  )
}

/** A check that has learnt to ask for more since then: only a new run can tell what comes of it. */
export const offTape = 'asks for more than the tape holds'

/** What was decided and about what, not the values, which may contain a time. */
function essenceOf(verdict: Verdict | undefined): string {
  if (verdict === undefined) return offTape
  return verdict.kind === 'fail' ? `fail: ${verdict.what}` : verdict.kind
}
