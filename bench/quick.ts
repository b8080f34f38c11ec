import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { wrapsNamed } from '../detection/catalogue.ts'
import { faults } from '../detection/faults/index.ts'
import { prng } from '../reference-server/network/prng.ts'
import { sawFailure } from '../src/check/verdict.ts'
import { packageFolder } from '../src/fixtures.ts'
import { startEmbedded } from '../src/run/embedded.ts'
import { run } from '../src/run/run.ts'
import { readSettings } from '../src/run/settings.ts'
import { checks } from '../suites/index.ts'
import { fillBlocks } from './docs/blocks.ts'
import { readPage } from './docs/pages.ts'

/**
 * `npm run bench:quick [SHARE]`: what `conformance --quick` asks of the reference gateway, and how many it notices of the faults that a full
 * run of a client with a key and nothing else does. With a share, such as 0.2, only so many of them, drawn with a seed. Writes the README.
 */
const share = Number(process.argv[2] ?? 1)
const shareMin = 0.9
const isOfClient = (id: string): boolean => checks.some((check) => check.id === id && (check.needs ?? []).length === 0)
const chance = prng(1)
const names = Object.entries(faults)
  .filter(([, { breaks }]) => breaks.some(isOfClient))
  .map(([name]) => name)
  .filter(() => chance.below(1000) < share * 1000)

/** The report of a run by a client that has a key and nothing else. */
async function judged(faultNames: readonly string[], asked: readonly string[]) {
  const { known, close } = await startEmbedded({ seed: 1, wraps: wrapsNamed(faultNames), withNodes: false })
  const flags = ['--base-url', known.baseUrl, '--api-path', '/api/v1', ...asked, '--seed', '1', '--timeout', '1500']
  const { plan } = readSettings([...flags, '--api-key', known.keys.main ?? ''], {}, packageFolder)
  return run(plan).finally(close)
}

function isNoticed(name: string, asked: readonly string[]): Promise<boolean> {
  return judged([name], asked).then(
    ({ results }) => results.some(({ verdict }) => sawFailure(verdict)),
    // A gateway of which nothing can be judged is noticed too.
    () => true,
  )
}

let caught = 0
const missed: string[] = []
const next = names.values()
async function lane(): Promise<void> {
  for (const name of next) {
    if (await isNoticed(name, ['--quick'])) caught += 1
    else if (await isNoticed(name, ['--costly', '--runs', '10'])) missed.push(name)
  }
}
const { run: used, summary } = await judged([], ['--quick'])
await Promise.all(Array.from({ length: availableParallelism() * 2 }, lane))
const noticeable = caught + missed.length
const decided = (['must', 'should', 'open'] as const).reduce(
  (sum, level) => sum + (summary[level].pass ?? 0) + (summary[level].observed ?? 0) + (summary[level].fail ?? 0),
  0,
)
const grouped = (count: number): string => count.toLocaleString('en-US')
const faultsMet = share === 1 ? `${noticeable} faults` : `a sample of ${noticeable} faults`
const said = [
  '`--quick`, for every commit, asks at most 400 requests and 20,000 tokens within 60 s. Of the reference gateway it asks',
  `${grouped(used.requests)} and ${grouped(used.tokens)} in ${(used.durationMs / 1000).toFixed(1)} s, decides ${decided} checks, and notices ${((100 * caught) / noticeable).toFixed(1)} % of ${faultsMet} that a full run with one key notices.`,
].join('\n')
process.stdout.write(`${said}\n${missed.map((name) => `missed: ${name}\n`).join('')}`)
writeFileSync(join(packageFolder, 'README.md'), fillBlocks(readPage('README.md'), new Map([['quick', said]])))
if (caught < shareMin * noticeable) process.exitCode = 1
