import { startGatewayProcess } from '../../../reference-server/integration/gateway-process.ts'
import { Missing } from '../../../reference-server/integration/machine.ts'
import { drawFrom } from '../draw.ts'
import { keepFigures } from '../figures.ts'
import { type IdleRace, raceIdleLimit } from './idle-limit.ts'
import { rollReplicas } from './replicas.ts'
import { restartUnder } from './restarts.ts'

/**
 * `npm run deploys`: restarts the reference gateway under streams, replaces replicas behind a switch under load, and sends
 * requests at the idle limit of their connections. Keeps the figures for `docs/reliability.md` where nothing was lost;
 * exits 1 where something was, 2 where PostgreSQL or Redis is missing.
 */
const [streams, restarts] = [1000, 20]
const [clients, rounds] = [40, 3]
const [sockets, marginMs] = [10_000, 5]
/** What the gateway announces, and the second more that Node adds. */
const idleLimitMs = 73_000

const rows: string[][] = []
const problems: string[] = []

function row(about: string, requests: number, whole: number, elsewise: string, found: readonly string[]): void {
  const counts = [requests, whole].map((count) => count.toLocaleString('en'))
  rows.push([about, ...counts, elsewise, found.length === 0 ? '0' : String(found.length)])
  problems.push(...found.map((problem) => `${about}: ${problem}`))
  process.stdout.write(`${rows.at(-1)?.join(' | ')}\n`)
}

async function replicas(): Promise<void> {
  const { tally, replaced, problems: found } = await rollReplicas(clients, rounds)
  const about = `two replicas behind a TCP switch, replaced ${replaced} times under ${clients} clients`
  row(about, tally.whole, tally.whole, 'nothing', found)
}

async function restarting(): Promise<void> {
  const { tally, underWayLeast, slowestMs, problems: found } = await restartUnder(streams, restarts)
  const refused = [...tally.refused.values()].reduce((sum, count) => sum + count, 0)
  row(
    `${restarts} restarts, each under ${underWayLeast} streams or more`,
    tally.whole + refused,
    tally.whole,
    `${refused.toLocaleString('en')} got a 503 with Retry-After; a restart took ${(slowestMs / 1000).toFixed(1)} s at most`,
    found,
  )
}

async function idleLimit(): Promise<void> {
  const gateway = await startGatewayProcess(['--store', 'memory', '--dashboard', 'off'])
  try {
    const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'idle', creditUsd: '1' })
    const { key } = await gateway.control<{ key: string }>('POST', `/accounts/${id}/keys`, { name: 'idle' })
    const port = Number(new URL(gateway.baseUrl).port)
    const options = { port, key, limitMs: idleLimitMs, marginMs, sockets, openedPerS: 400 }
    const race = await raceIdleLimit(options, drawFrom(1))
    const about = `requests at the idle limit of ${idleLimitMs / 1000} s, ${race.onTime.toLocaleString('en')} of them within ${marginMs} ms of it`
    row(about, sockets - race.endedBefore, race.served, wordsOf(race), race.reset > 0 ? [`${race.reset} resets`] : [])
  } finally {
    await gateway.kill()
  }
}

function wordsOf({ crossed, endedBefore }: IdleRace): string {
  return `${crossed.toLocaleString('en')} met the end of their connection, ${endedBefore.toLocaleString('en')} were not sent because it had come`
}

try {
  await replicas()
  await restarting()
  await idleLimit()
  for (const problem of problems) process.stdout.write(`FAIL ${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
  const head = ['', 'requests', 'served whole', 'besides', 'cut, reset, lost or charged wrongly']
  if (problems.length === 0) keepFigures('deploys', { command: 'npm run deploys', head, rows })
} catch (error) {
  if (!(error instanceof Missing)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
