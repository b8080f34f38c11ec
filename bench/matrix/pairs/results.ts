import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder } from '../../results.ts'
import type { Outcome, PairCell } from './outcome.ts'
import type { Pair } from './pairs.ts'

/** A pair as it was judged: `results/pairs.json`. */
export interface JudgedPair extends Omit<Pair, 'checks'> {
  /** The server's name on the pages. */
  readonly title: string
  /** Where both releases were installed from. */
  readonly from: string
  /** ISO 8601. */
  readonly date: string
  readonly outcome: Outcome
  /** The named checks, with what they came to in each release. */
  readonly checks: readonly { readonly id: string; readonly before?: PairCell; readonly after?: PairCell }[]
}

interface PairsFile {
  readonly schema: 'inference-assay/pairs/1'
  readonly assay: string
  readonly repeat: string
  readonly pairs: readonly JudgedPair[]
}

const file = join(resultsFolder, 'pairs.json')

export function readJudgedPairs(): readonly JudgedPair[] {
  if (!existsSync(file)) return []
  const { pairs }: PairsFile = JSON.parse(readFileSync(file, 'utf8'))
  return pairs
}

/** A line for each pair, so that a change can be read. */
export function writeJudgedPairs(assay: string, pairs: readonly JudgedPair[]): void {
  const head = { schema: 'inference-assay/pairs/1', assay, repeat: 'npm run matrix -- --pairs' }
  const lines = pairs.map((pair) => JSON.stringify(pair)).join(',\n')
  writeFileSync(file, `${JSON.stringify(head, null, 1).slice(0, -2)},\n "pairs": [\n${lines}\n]}\n`)
}

const identity = ['server', 'before', 'after', 'bug', 'known', 'statement'] as const

/** Whether this was judged as it is listed now. */
export function isJudgedFrom(judged: JudgedPair, listed: Pair): boolean {
  const ids = judged.checks.map(({ id }) => id)
  return identity.every((field) => judged[field] === listed[field]) && ids.join() === listed.checks.join()
}
