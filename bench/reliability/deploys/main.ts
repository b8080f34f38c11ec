import { parseArgs } from 'node:util'
import { startGatewayProcess } from '../../../reference-server/integration/gateway-process.ts'
import { Missing } from '../../../reference-server/integration/machine.ts'
import { drawFrom } from '../draw.ts'
import { keepRows } from '../figures.ts'
import { type IdleRace, raceIdleLimit } from './idle-limit.ts'
import { rollReplicas } from './replicas.ts'
import { restartUnder } from './restarts.ts'

/**
 * `npm run deploys [-- --only PART,…]`: replaces replicas behind a switch under load (`replicas`), restarts the reference gateway
 * under streams (`restarts`), and sends requests at the idle limit of their connections (`idle`). Keeps the figures of each part in
 * which nothing was lost for `docs/reliability.md`; exits 1 where something was, 2 where PostgreSQL or Redis is missing.
 */
const [streams, restarts] = [1000, 20]
const [clients, rounds] = [40, 3]
const [sockets, marginMs] = [10_000, 5]
/** What the gateway announces, and the second more that Node adds. */
const idleLimitMs = 73_000
const head = ['', 'requests', 'served whole', 'besides', 'cut, reset, lost or charged wrongly']

interface Row {
  readonly about: string
  readonly requests: number
  readonly whole: number
  readonly besides: string
  readonly problems: readonly string[]
}

const parts = { replicas, restarts: restarting, idle: idleLimit } as const

async function run(name: keyof typeof parts): Promise<void> {
  const { about, requests, whole, besides, problems } = await parts[name]()
  const row = [about, requests.toLocaleString('en'), whole.toLocaleString('en'), besides, String(problems.length)]
  process.stdout.write(`${row.join(' | ')}\n`)
  for (const problem of problems) process.stdout.write(`FAIL ${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
  else keepRows('deploys', { command: 'npm run deploys', head, rows: [row] })
}

async function replicas(): Promise<Row> {
  const { tally, replaced, problems } = await rollReplicas(clients, rounds)
  const about = `two replicas behind a TCP switch, replaced ${replaced} times under ${clients} clients`
  return { about, requests: tally.whole, whole: tally.whole, besides: 'nothing', problems }
}

async function restarting(): Promise<Row> {
  const { tally, underWayLeast, slowestMs, problems } = await restartUnder(streams, restarts)
  const refused = [...tally.refused.values()].reduce((sum, count) => sum + count, 0)
  return {
    about: `${restarts} restarts under ${streams} clients`,
    requests: tally.whole + refused,
    whole: tally.whole,
    besides: `${underWayLeast} streams or more were under way at each; ${refused.toLocaleString('en')} requests got a 503 with Retry-After; a restart took ${(slowestMs / 1000).toFixed(1)} s at most`,
    problems,
  }
}

async function idleLimit(): Promise<Row> {
  const gateway = await startGatewayProcess(['--store', 'memory', '--dashboard', 'off'])
  try {
    const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'idle', creditUsd: '1' })
    const { key } = await gateway.control<{ key: string }>('POST', `/accounts/${id}/keys`, { name: 'idle' })
    const port = Number(new URL(gateway.baseUrl).port)
    const options = { port, key, limitMs: idleLimitMs, marginMs, sockets, openedPerS: 400 }
    const race = await raceIdleLimit(options, drawFrom(1))
    const about = `requests at the idle limit of ${idleLimitMs / 1000} s on ${sockets.toLocaleString('en')} connections`
    const problems = race.reset > 0 ? [`${race.reset} resets`] : []
    return { about, requests: sockets - race.endedBefore, whole: race.served, besides: wordsOf(race), problems }
  } finally {
    await gateway.kill()
  }
}

function wordsOf({ onTime, crossed, endedBefore }: IdleRace): string {
  return `${onTime.toLocaleString('en')} were due within ${marginMs} ms of it, ${crossed.toLocaleString('en')} met the end of their connection, ${endedBefore.toLocaleString('en')} were not sent because it had come`
}

const { values } = parseArgs({ options: { only: { type: 'string', default: Object.keys(parts).join() } } })
try {
  for (const name of values.only.split(',')) {
    if (!isPart(name)) throw new Error(`--only must be a list of ${Object.keys(parts).join(', ')}; got "${name}"`)
    await run(name)
  }
} catch (error) {
  if (!(error instanceof Missing)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

function isPart(name: string): name is keyof typeof parts {
  return Object.hasOwn(parts, name)
}
