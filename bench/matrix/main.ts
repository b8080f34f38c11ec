import { parseArgs } from 'node:util'
import { requirementSets } from '../../src/run/requirement-sets.ts'
import { decidedOf } from '../decided.ts'
import { newestOf, readColumns, writeColumn } from '../results.ts'
import { columnOf } from './column.ts'
import { judge } from './judge.ts'
import { judgePairs } from './pairs/judge-pairs.ts'
import { replay } from './replay.ts'
import type { Server } from './server.ts'
import { servers } from './servers/index.ts'

/**
 * `npm run matrix -- [SERVER[@VERSION]…]`: installs real servers into a cache folder, judges each, and writes what was found to
 * `results/`. Without a name it judges the newest version of each. `--replay N` asks N failing cells again. `--pairs` judges
 * releases with a known bug beside those that mended it.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'boolean', default: false },
    replay: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})

/** The versions that a name stands for: all that are listed, or the one behind the @, listed or not. */
function wanted(name: string): readonly (readonly [Server, string])[] {
  const [own, version] = name.split('@')
  const server = servers.find((one) => one.name === own)
  if (server === undefined) {
    process.stderr.write(`There is no server "${own}". Known: ${servers.map((one) => one.name).join(', ')}.\n`)
    process.exit(2)
  }
  return version === undefined ? server.versions.map((each) => [server, each]) : [[server, version]]
}

async function judgeAll(list: readonly (readonly [Server, string])[]): Promise<void> {
  for (const [server, version] of list) {
    try {
      const judged = await judge(server, version)
      writeColumn(columnOf(server, version, judged, requirementSets[0] ?? ''))
      const { decided, decidable, failed, durationS } = decidedOf(judged.report)
      const share = `${decided} of ${decidable} decided in ${durationS.toFixed(0)} s`
      process.stdout.write(`${server.name}@${version}: ${failed.length} failed; ${share}\n`)
    } catch (error) {
      process.exitCode = 1
      process.stderr.write(`${server.name}@${version}: ${error instanceof Error ? error.message : error}\n`)
    }
  }
}

if (values.pairs) {
  const missed = await judgePairs(positionals, (line) => process.stdout.write(`${line}\n`))
  process.exitCode = missed === 0 ? 0 : 1
} else if (values.replay !== undefined) {
  const columns = positionals.length === 0 ? newestOf(readColumns()) : readColumns()
  const named = columns.filter(
    ({ server, version }) =>
      positionals.length === 0 || positionals.some((name) => [server, `${server}@${version}`].includes(name)),
  )
  const { asked, changed } = await replay(named, Number(values.replay), Number(values.seed))
  process.stdout.write(
    changed.length === 0 ? `All ${asked} fail again.\n` : `These do not fail again:\n${changed.join('\n')}\n`,
  )
  process.exitCode = changed.length === 0 && asked > 0 ? 0 : 1
} else if (positionals.length > 0) {
  await judgeAll(positionals.flatMap(wanted))
} else {
  await judgeAll(servers.flatMap((server) => server.versions.slice(0, 1).map((version) => [server, version] as const)))
}
