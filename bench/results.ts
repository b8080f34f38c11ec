import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Verdict } from '../src/check/verdict.ts'
import { packageFolder } from '../src/fixtures.ts'

/** One version of one server, as it was judged: `results/SERVER/VERSION/run.json`. */
export interface Column {
  readonly schema: 'inference-assay/result/1'
  readonly server: string
  readonly version: string
  readonly title: string
  readonly kind: 'gateway' | 'engine' | 'mock'
  /** Where it was installed from. */
  readonly from: string
  readonly assay: string
  /** The newest requirement set of that day. */
  readonly set: string
  /** ISO 8601. */
  readonly date: string
  /** What repeats the whole run, and how it was asked; addresses and keys are left out. */
  readonly repeat: readonly string[]
  readonly run: {
    readonly seed: number
    readonly requests: number
    readonly tokens: number
    readonly durationMs: number
  }
  /** SHA-256 of the exchanges behind it, which are too large to be kept. */
  readonly evidence: string
  readonly results: readonly Cell[]
}

/** What one check came to. */
export interface Cell {
  readonly id: string
  readonly verdict: Verdict['kind']
  /** The failure that stands before it. */
  readonly by?: string
  /** Why it could not be decided. */
  readonly cause?: string
  readonly what?: string
  readonly expected?: string
  readonly actual?: string
  /** The request that failed, and the answer to it. */
  readonly curl?: string
  readonly answer?: string
  /** What was observed, where nothing is judged. */
  readonly value?: unknown
}

export const resultsFolder = join(packageFolder, 'results')
/** What client libraries did is kept beside the servers. */
export const clientsFolder = join(resultsFolder, 'clients')

/** A line for each check, so that a change can be read. */
export function writeColumn(column: Column, folder = resultsFolder): void {
  const { results, ...head } = column
  const place = join(folder, column.server, column.version)
  mkdirSync(place, { recursive: true })
  const lines = results.map((cell) => JSON.stringify(cell)).join(',\n')
  const text = `${JSON.stringify(head, null, 1).slice(0, -2)},\n "results": [\n${lines}\n]}\n`
  writeFileSync(join(place, 'run.json'), text)
}

const kinds: readonly Column['kind'][] = ['gateway', 'engine', 'mock']

/** Every column that is kept: gateways, engines, mocks; by server; of one server the newest version first. */
export function readColumns(folder = resultsFolder): readonly Column[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && join(folder, entry.name) !== clientsFolder)
    .map(({ name }) => name)
    .sort()
    .flatMap((server) =>
      readdirSync(join(folder, server))
        .map((version): Column => JSON.parse(readFileSync(join(folder, server, version, 'run.json'), 'utf8')))
        .sort((one, other) => other.version.localeCompare(one.version, 'en', { numeric: true })),
    )
    .sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind))
}

/** The newest version of each server. */
export function newestOf(columns: readonly Column[]): readonly Column[] {
  return columns.filter(({ server }, place) => columns[place - 1]?.server !== server)
}
