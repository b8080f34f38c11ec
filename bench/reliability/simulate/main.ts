import { parseArgs } from 'node:util'
import { honest } from '../../../reference-server/simulation/bug.ts'
import { bugs } from '../../../reference-server/simulation/bugs/bugs.ts'
import { simulate, simulateFrom, type Verdict } from '../../../reference-server/simulation/simulate.ts'
import { keepFigures } from '../figures.ts'
import { simulateMany } from './many.ts'

/**
 * `npm run simulate [-- --count N --from N --threads N]`: worlds from seeds, in none of which anything may be wrong, and then
 * the planted bugs, each of which must show within a minute. A whole run keeps its figures.
 * `--seed N [--bug NAME]` tells what happens in one world.
 */
const countUsual = '1000000'
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    bug: { type: 'string' },
    count: { type: 'string', default: countUsual },
    from: { type: 'string', default: '1' },
    threads: { type: 'string', default: '1' },
  },
})
const huntMsMax = 60_000
const shownMax = 20
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const problems =
  values.seed === undefined
    ? await runAll(wholeNumber('count'), wholeNumber('from'), wholeNumber('threads'))
    : await replay(wholeNumber('seed'), values.bug)
process.exitCode = problems === 0 ? 0 : 1

function wholeNumber(name: 'seed' | 'count' | 'from' | 'threads'): number {
  const value = Number(values[name])
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`--${name} must be a whole number from 1 on`)
  return value
}

async function replay(seed: number, name: string | undefined): Promise<number> {
  const bug = name === undefined ? honest : bugs[name]
  if (bug === undefined) throw new RangeError(`--bug must be one of: ${Object.keys(bugs).join(', ')}`)
  const verdict = await simulate(seed, bug, say)
  for (const problem of verdict.problems) say(`FAIL ${problem}`)
  if (verdict.problems.length === 0) say('nothing was wrong')
  return verdict.problems.length
}

async function runAll(count: number, from: number, threads: number): Promise<number> {
  const failed: Verdict[] = []
  let [seeds, requests, cpuUs] = [0, 0, 0]
  await simulateMany({ from, count, threads }, (done) => {
    seeds += done.seeds
    requests += done.requests
    cpuUs += done.cpuUs
    failed.push(...done.failed)
    if (seeds % 50_000 < done.seeds)
      say(`${seeds} seeds: ${failed.length} with problems, ${perSecond()} a second on a core`)
  })
  function perSecond(): number {
    return Math.round(seeds / (cpuUs / 1e6))
  }
  for (const verdict of failed.slice(0, shownMax)) say(`FAIL seed ${verdict.seed}: ${verdict.problems.join('; ')}`)
  say(`${seeds} seeds, ${requests} requests, ${perSecond()} seeds a second on a core: ${failed.length} with problems`)
  const hunts: Hunt[] = []
  for (const name of Object.keys(bugs)) hunts.push(await hunt(name))
  if (String(count) === countUsual && from === 1)
    keepAll([
      [
        'honest worlds',
        `${seeds} seeds with ${requests} requests`,
        `${failed.length} with a problem`,
        `${perSecond()} seeds a second on a core`,
      ],
      ...hunts.map(({ about, seed, tried, ms, problem }) => [
        about,
        `${tried} seeds`,
        seed === undefined ? 'not found' : problem,
        `${(ms / 1000).toFixed(1)} s`,
      ]),
    ])
  return failed.length + hunts.filter(({ seed }) => seed === undefined).length
}

interface Hunt {
  readonly about: string
  readonly seed: number | undefined
  readonly problem: string
  readonly tried: number
  readonly ms: number
}

/** Looks for a seed in which a planted bug shows. */
async function hunt(name: string): Promise<Hunt> {
  const bug = bugs[name] ?? honest
  const startMs = performance.now()
  let tried = 0
  let found: Verdict | undefined
  await simulateFrom(1, Number.MAX_SAFE_INTEGER, bug, (verdict) => {
    tried += 1
    if (verdict.problems.length > 0) found ??= verdict
    return found !== undefined || performance.now() - startMs > huntMsMax
  })
  const ms = performance.now() - startMs
  const [problem = ''] = found?.problems ?? []
  if (found === undefined) say(`FAIL ${name} was not found in ${tried} seeds`)
  else say(`found ${name} in ${(ms / 1000).toFixed(1)} s: npm run simulate -- --seed ${found.seed} --bug ${name}`)
  return { about: bug.about, seed: found?.seed, problem, tried, ms }
}

function keepAll(rows: readonly (readonly string[])[]): void {
  keepFigures('simulation', {
    command: 'npm run simulate',
    head: ['what was simulated', 'tried', 'what showed', 'time'],
    rows,
  })
}
