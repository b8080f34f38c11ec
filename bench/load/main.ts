import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { median } from '../../src/load/bootstrap.ts'
import type { ClientReport } from './client.ts'

/**
 * `npm run bench:load`: our engine against autocannon as it is, in five interleaved rounds, with the server pinned to
 * one core and the client to another. Rounds in which other processes used more than 8 % of a core are discarded.
 */
const rounds = 5
const roundsMax = 15
const othersMax = 0.08
const ticksPerS = 100

interface Case {
  readonly title: string
  readonly mode: 'paced' | 'flood'
  readonly connections: number
  readonly seconds: number
  readonly figure: keyof ClientReport
  /** What the ratio of ours to stock must be. */
  readonly goal: string
}

const cases: readonly Case[] = [
  {
    title: 'lag p95, 500 streams × 50 events/s (ms)',
    mode: 'paced',
    connections: 500,
    seconds: 5,
    figure: 'lagP95',
    goal: '≤ 0.5',
  },
  {
    title: 'lag p95, 1,000 streams × 50 events/s (ms)',
    mode: 'paced',
    connections: 1000,
    seconds: 5,
    figure: 'lagP95',
    goal: '≤ 0.5',
  },
  {
    title: 'events read per second, 100 connections',
    mode: 'flood',
    connections: 100,
    seconds: 5,
    figure: 'eventsPerS',
    goal: '≥ 2',
  },
]

const isPinned = process.platform === 'linux' && existsSync('/usr/bin/taskset') && cpus().length > 1

function start(core: number, file: string, args: readonly string[]): ChildProcess {
  const command = [process.execPath, join(import.meta.dirname, file), ...args]
  const [name = '', ...rest] = isPinned ? ['taskset', '-c', String(core), ...command] : command
  return spawn(name, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the child has no output')
  const [line]: string[] = await once(createInterface(child.stdout), 'line')
  return line ?? ''
}

/** CPU seconds of two cores together since the machine started; NaN where that cannot be read. */
function busyS(): number {
  if (!existsSync('/proc/stat')) return Number.NaN
  const lines = readFileSync('/proc/stat', 'utf8').split('\n').slice(1, 3)
  const ticks = lines.flatMap((line) =>
    line
      .split(/\s+/)
      .slice(1)
      .map(Number)
      .filter((_, index) => index !== 3 && index !== 4),
  )
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerS
}

interface Round {
  readonly report: ClientReport
  /** The share of a core that neither the client nor the server used. */
  readonly others: number
}

async function round(who: 'ours' | 'stock', { mode, connections, seconds }: Case): Promise<Round> {
  const server = start(0, 'server.ts', mode === 'paced' ? ['paced', String(seconds * 50)] : ['flood'])
  try {
    const url = await firstLine(server)
    const beforeS = busyS()
    const serverBeforeS = cpuOf(server.pid)
    const startMs = performance.now()
    const client = start(1, 'client.ts', [who, mode, url, String(connections), String(seconds)])
    const report = JSON.parse(await firstLine(client)) as ClientReport
    const elapsedS = (performance.now() - startMs) / 1000
    const ownS = report.cpuS + cpuOf(server.pid) - serverBeforeS
    return { report, others: Math.max(0, busyS() - beforeS - ownS) / elapsedS }
  } finally {
    server.kill('SIGKILL')
  }
}

function cpuOf(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerS
}

for (const one of cases) {
  const kept: { ours: Round; stock: Round }[] = []
  let discarded = 0
  while (kept.length < rounds && kept.length + discarded < roundsMax) {
    const first = (kept.length + discarded) % 2 === 0 ? 'ours' : 'stock'
    const results = { [first]: await round(first, one) } as { ours: Round; stock: Round }
    const second = first === 'ours' ? 'stock' : 'ours'
    results[second] = await round(second, one)
    if (Math.max(results.ours.others, results.stock.others) > othersMax) discarded += 1
    else kept.push(results)
  }
  const figures = (who: 'ours' | 'stock'): number[] => kept.map((pair) => pair[who].report[one.figure])
  const brief = (values: readonly number[]): string =>
    values.map((value) => (value > 1000 ? value.toFixed(0) : value.toFixed(3))).join(' ')
  const ratios = kept.map((pair) => pair.ours.report[one.figure] / pair.stock.report[one.figure])
  const others = Math.max(0, ...kept.flatMap((pair) => [pair.ours.others, pair.stock.others]))
  console.log(
    `${one.title}: ratio ${median(ratios).toFixed(2)} (goal ${one.goal}), median of ${kept.length} interleaved rounds, ${discarded} discarded`,
  )
  console.log(`  ours  ${brief(figures('ours'))}`)
  console.log(`  stock ${brief(figures('stock'))}`)
  console.log(
    `  others used up to ${(others * 100).toFixed(1)} % of a core; load average ${loadavg()[0]?.toFixed(2)}; ${isPinned ? 'pinned' : 'not pinned'}`,
  )
}
