import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { checks } from '../../../suites/index.ts'
import { servers } from '../servers/index.ts'

/** Two releases of a server: one with a bug that its maintainers know of, and a later one that mended it. */
export interface Pair {
  /** A name of `bench/matrix/servers/`. */
  readonly server: string
  readonly before: string
  readonly after: string
  /** What a client met, in a sentence. */
  readonly bug: string
  /** The issue, the pull request, the commit or the changelog that says so. */
  readonly known: string
  /** The statement of the contract that the bug breaks. */
  readonly statement: string
  /** The checks that must fail before and pass after; each proves the statement. */
  readonly checks: readonly string[]
}

/** `pairs.yaml` beside this file, in its order. Throws an error that names the pair and the field where it cannot be right. */
export function readPairs(): readonly Pair[] {
  // Every value is a text: a version is no number.
  return parsePairs(parse(readFileSync(join(import.meta.dirname, 'pairs.yaml'), 'utf8'), { schema: 'failsafe' }))
}

const fields = ['server', 'before', 'after', 'bug', 'known', 'statement'] as const

export function parsePairs(listed: readonly Partial<Pair>[]): readonly Pair[] {
  return listed.map((pair, place) => {
    const problem = problemOf(pair)
    if (problem !== undefined) throw new Error(`pairs.yaml, pair ${place + 1} (${pair.server}): ${problem}`)
    return pair as Pair
  })
}

function problemOf(pair: Partial<Pair>): string | undefined {
  const missing = fields.find((field) => typeof pair[field] !== 'string' || pair[field] === '')
  if (missing !== undefined) return `"${missing}" is missing.`
  if (!servers.some(({ name }) => name === pair.server)) return `there is no server "${pair.server}".`
  if (!Array.isArray(pair.checks) || pair.checks.length === 0) return '"checks" names no check.'
  return pair.checks.map((id) => problemOfCheck(id, pair.statement ?? '')).find((one) => one !== undefined)
}

function problemOfCheck(id: string, statement: string): string | undefined {
  const check = checks.find((one) => one.id === id)
  if (check === undefined) return `there is no check "${id}".`
  return check.states.some((one) => one === statement) ? undefined : `${id} does not prove "${statement}".`
}
