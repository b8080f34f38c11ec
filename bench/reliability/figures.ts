import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'
import { tableOf } from '../docs/blocks.ts'

const folder = join(packageFolder, 'fixtures', 'reliability')

/** What a run found, as `docs/reliability.md` shows it. */
export interface Figures {
  /** What was typed. */
  readonly command: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** How busy the machine was, in runnable threads, and from where on that is worth a word. */
interface Kept extends Figures {
  readonly measured: string
  readonly loadAverage?: number
}
const BUSY = 4

/** Keeps what a run found under the name of its part of the page; `npm run docs` then writes the page. */
export function keepFigures(name: string, { command, head, rows }: Figures): void {
  const measured = new Date().toISOString().slice(0, 10)
  const loadAverage = Math.round(loadavg()[0] ?? 0)
  const kept: Kept = { command, measured, loadAverage, head, rows }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`)
}

/** The same for a run that did only some of the rows: those of other titles, which stand first in a row, stay as they are. */
export function keepRows(name: string, figures: Figures): void {
  const file = join(folder, `${name}.json`)
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Figures).rows : []
  const anew = new Map(figures.rows.map((row) => [row[0], row]))
  const titles = new Set([...kept, ...figures.rows].map(([title]) => title))
  const rows = [...titles].map((title) => anew.get(title) ?? kept.find((row) => row[0] === title) ?? [])
  keepFigures(name, { ...figures, rows })
}

/** The generated parts of the page, `reliability:NAME` for each run that was kept. */
export function reliabilityParts(): readonly (readonly [name: string, text: string])[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : []
  return files.map((file) => {
    const {
      command,
      measured,
      loadAverage = 0,
      head,
      rows,
    } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Kept
    const busy = loadAverage < BUSY ? '' : `, on a machine busy with other work (load average ${loadAverage})`
    return [
      `reliability:${file.replace('.json', '')}`,
      `${tableOf(head, rows)}\n\nMeasured ${measured} by \`${command}\`${busy}.`,
    ]
  })
}
