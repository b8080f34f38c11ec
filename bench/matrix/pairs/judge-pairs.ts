import { version as assay } from '../../../src/fixtures.ts'
import { columnOf } from '../column.ts'
import { judge } from '../judge.ts'
import type { Server } from '../server.ts'
import { servers } from '../servers/index.ts'
import { outcomeOf, type PairCell, type Release } from './outcome.ts'
import { type Pair, readPairs } from './pairs.ts'
import { isJudgedFrom, type JudgedPair, readJudgedPairs, writeJudgedPairs } from './results.ts'

/**
 * Installs both releases of every pair, judges them by the checks that the pair names, and writes `results/pairs.json`; with names only
 * the pairs of these servers. Pairs that are no longer listed leave the file. Returns how many of those judged were not told apart.
 */
export async function judgePairs(names: readonly string[], say: (line: string) => void): Promise<number> {
  const listed = readPairs()
  const chosen = listed.filter(({ server }) => names.length === 0 || names.includes(server))
  if (chosen.length === 0) throw new Error(`No pair is of ${names.join(', ')}. pairs.yaml lists them.`)
  const releases = new Map<string, Release>()
  let missed = 0
  for (const pair of chosen) {
    const judged = await judgePair(pair, chosen, releases)
    // Written after each, so that a run that is broken off keeps what it has.
    const known = readJudgedPairs()
    writeJudgedPairs(
      assay,
      listed.flatMap((one) => (one === pair ? judged : (known.find((old) => isJudgedFrom(old, one)) ?? []))),
    )
    if (judged.outcome.kind !== 'told') missed++
    const reason = 'reason' in judged.outcome ? `: ${judged.outcome.reason}` : ''
    say(`${pair.server} ${pair.before} → ${pair.after}, ${pair.statement}: ${judged.outcome.kind}${reason}`)
  }
  return missed
}

async function judgePair(pair: Pair, all: readonly Pair[], releases: Map<string, Release>): Promise<JudgedPair> {
  const server = servers.find(({ name }) => name === pair.server)
  if (server === undefined) throw new Error(`There is no server "${pair.server}".`)
  const before = cut(await releaseOf(server, pair.before, all, releases), pair)
  const after = cut(await releaseOf(server, pair.after, all, releases), pair)
  const { checks: ids, ...own } = pair
  return {
    ...own,
    title: server.title,
    from: server.from,
    date: new Date().toISOString().slice(0, 10),
    outcome: outcomeOf(before, after),
    checks: ids.map((id) => ({ id, ...side('before', before, id), ...side('after', after, id) })),
  }
}

/** One run judges a release by the checks of all its pairs. */
async function releaseOf(
  server: Server,
  version: string,
  pairs: readonly Pair[],
  releases: Map<string, Release>,
): Promise<Release> {
  const key = `${server.name}@${version}`
  const known = releases.get(key)
  if (known !== undefined) return known
  const ids = pairs.flatMap((pair) =>
    pair.server === server.name && [pair.before, pair.after].includes(version) ? pair.checks : [],
  )
  const release = await judgeRelease(server, version, [...new Set(ids)])
  releases.set(key, release)
  return release
}

async function judgeRelease(server: Server, version: string, ids: readonly string[]): Promise<Release> {
  try {
    const { results } = columnOf(server, version, await judge(server, version, ids), '')
    return {
      cells: results
        .filter(({ id }) => ids.includes(id))
        .map(
          ({ id, verdict, what, expected, actual }): PairCell => ({
            id,
            verdict,
            ...(verdict === 'fail' && { what: what ?? '', expected: expected ?? '', actual: actual ?? '' }),
          }),
        ),
    }
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return { problem: `${version}: ${first.replaceAll(/\/\S*\/\.cache\/matrix\//g, '…/')}` }
  }
}

function cut(release: Release, { checks: ids }: Pair): Release {
  return 'problem' in release ? release : { cells: release.cells.filter(({ id }) => ids.includes(id)) }
}

function side(name: 'before' | 'after', release: Release, id: string): { readonly [side: string]: PairCell } {
  const cell = 'cells' in release ? release.cells.find((one) => one.id === id) : undefined
  return cell === undefined ? {} : { [name]: cell }
}
