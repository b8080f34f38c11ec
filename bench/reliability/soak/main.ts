import { parseArgs } from 'node:util'
import { builtAssay } from '../built.ts'
import { keepFigures } from '../figures.ts'
import { growthProblems, quarters } from './growth.ts'
import { soak } from './soak.ts'

/**
 * `npm run soak [-- --minutes N --seed N]`: a gateway process on SQLite that is used in every way at once, for an hour unless
 * told otherwise. An hour or more keeps its figures for `docs/reliability.md`. Exits 1 where something is wrong.
 */
const minutesUsual = '60'
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: minutesUsual }, seed: { type: 'string', default: '1' } },
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0)) throw new Error(`--minutes must be a number above zero, got ${values.minutes}`)

const startMs = performance.now()
const {
  tallies,
  samples,
  after,
  problems: found,
} = await soak({
  assay: builtAssay(),
  durationMs: minutes * 60_000,
  seed,
  onSample({ memoryMb, descriptors }, count) {
    const seconds = Math.round((performance.now() - startMs) / 1000)
    process.stdout.write(`${seconds} s: ${memoryMb} MB, ${descriptors} descriptors, ${count} problems\n`)
  },
})
const problems = [...found, ...growthProblems(samples, after)]
const { early, late } = quarters(samples)
const most = Math.max(...samples.map(({ memoryMb }) => memoryMb))
const rows = [...tallies].map(([{ about, users }, tally]) => [
  about,
  String(users),
  [...tally.values()].reduce((sum, count) => sum + count, 0).toLocaleString('en'),
  [...tally]
    .sort()
    .map(([came, count]) => `${came} ${count.toLocaleString('en')}`)
    .join(', '),
])
rows.push([
  'resident memory',
  '',
  '',
  `${early.memoryMb} MB in the second quarter, ${late.memoryMb} MB in the last, never over ${most} MB`,
])
rows.push([
  'descriptors',
  '',
  '',
  `${early.descriptors} in the second quarter, ${late.descriptors} in the last, ${after.descriptors} once everybody had gone`,
])
rows.push([
  'books',
  '',
  '',
  problems.length === 0 ? 'balanced, nothing held, each reply charged what it said' : 'see below',
])
for (const row of rows) process.stdout.write(`${row.join(' | ')}\n`)
for (const problem of problems) process.stdout.write(`FAIL ${problem}\n`)
process.stdout.write(problems.length === 0 ? 'all held\n' : `${problems.length} problems\n`)
process.exitCode = problems.length === 0 ? 0 : 1
if (minutes >= Number(minutesUsual) && problems.length === 0)
  keepFigures('soak', { command: 'npm run soak', head: ['', 'at once', 'times', 'what came of it'], rows })
