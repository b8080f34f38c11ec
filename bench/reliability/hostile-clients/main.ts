import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { booksOf, unitsOf } from '../../../reference-server/integration/books.ts'
import { type GatewayProcess, startGatewayProcess } from '../../../reference-server/integration/gateway-process.ts'
import { keepFigures } from '../figures.ts'
import { attack, type Finding, type Tally } from './attack.ts'
import { crowds, servedDuring } from './crowds.ts'
import type { Gateway } from './input.ts'
import { meet } from './meet.ts'

/**
 * `npm run hostile:clients [-- --seed N --count N --from N]`: a gateway process under generated inputs, and then under crowds of
 * clients. It must take each input as it should, serve others meanwhile, and in the end have neither grown nor written a stack
 * trace nor hold anything. A whole run keeps its figures; one input is tried again with its number as `--from` and a count of 1.
 */
const inputsUsual = '1000000'
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: inputsUsual },
    from: { type: 'string', default: '0' },
  },
})
const [seed, count, from] = [Number(values.seed), Number(values.count), Number(values.from)]
const isWhole = values.count === inputsUsual && from === 0
const clients = 32
/** In the second half of these parts the process must not grow, in a heap that what it leaks would fill. */
const parts = 10
const growthMbMax = 64
const heap = '--max-old-space-size=256'
const slowestMsMax = 5000
/** What is under way when everybody has gone must end within this time. */
const settlingMsMax = 30_000
const shownMax = 20

const folder = mkdtempSync(join(tmpdir(), 'assay-hostile-'))
const store = `sqlite:${join(folder, 'books.sqlite')}`
// Most inputs are refused, and a refusal that is kept back would only take time.
const patient = ['--refusals-per-minute', '0']
const running = await startGatewayProcess(['--store', store, '--dashboard', '127.0.0.1:0', ...patient], {
  NODE_OPTIONS: heap,
})
const rows: string[][] = []
const problems: string[] = []
try {
  const gateway = await meet(running.addresses)
  await sendInputs(gateway)
  if (isWhole) await sendCrowds(gateway)
  problems.unshift(...(await aftermath(running, gateway.accountId)))
} finally {
  await running.kill()
  rmSync(folder, { recursive: true })
}
for (const problem of problems.slice(0, shownMax)) process.stdout.write(`FAIL ${problem}\n`)
process.stdout.write(problems.length === 0 ? 'all held\n' : `${problems.length} problems\n`)
process.exitCode = problems.length === 0 ? 0 : 1
if (isWhole)
  keepFigures('hostile-clients', {
    command: 'npm run hostile:clients',
    head: ['what clients did', 'how often', 'what came of it'],
    rows,
  })

async function sendInputs(gateway: Gateway): Promise<void> {
  const tallies = new Map<string, Tally>()
  const findings: Finding[] = []
  const perPart = Math.ceil(count / parts)
  const memoryMb: number[] = []
  for (let at = from; at < from + count; at += perPart) {
    const size = Math.min(perPart, from + count - at)
    findings.push(...(await attack(gateway, { seed, from: at, count: size, clients }, tallies)))
    memoryMb.push(memoryMbOf(running))
    process.stdout.write(`${at + size - from} inputs: ${findings.length} problems, ${memoryMb.at(-1)} MB\n`)
  }
  problems.push(
    ...findings.map(({ number, about, problem, sent }) => `${number}, ${about}: ${problem}\n${JSON.stringify(sent)}`),
  )
  const [middle = 0, last = 0] = [memoryMb.at(-parts / 2 - 1), memoryMb.at(-1)]
  if (last - middle > growthMbMax) problems.push(`its memory grew from ${middle} to ${last} MB`)
  for (const [about, { inputs, statuses }] of [...tallies].sort())
    rows.push([about, String(inputs), `answers ${[...statuses].sort().join(', ')}`])
  rows.push(['all of these', String(count), `memory ${middle} MB after half of them, ${last} MB after all`])
}

async function sendCrowds(gateway: Gateway): Promise<void> {
  for (const { about, size, come } of crowds) {
    const { requests, failed, slowestMs } = await servedDuring(gateway, come(gateway, size, seed))
    const words = `${requests} requests of others served, the slowest in ${Math.round(slowestMs)} ms; ${memoryMbOf(running)} MB`
    process.stdout.write(`${about}: ${words}, ${failed} failed\n`)
    rows.push([about, String(size), words])
    if (failed > 0 || slowestMs > slowestMsMax) problems.push(`${about}: ${failed} of ${words}`)
  }
}

/** What must be as before once everybody has gone. */
async function aftermath(gateway: GatewayProcess, accountId: string): Promise<readonly string[]> {
  const inFlight = await settled(gateway)
  const { balance, held, sum } = await booksOf(gateway, accountId)
  const descriptors = readdirSync(`/proc/${gateway.child.pid}/fd`).length
  return [
    ...gateway.said.map((line) => `it wrote to standard error: ${line}`),
    ...(inFlight === '0' ? [] : [`${inFlight} requests are still under way`]),
    ...(held === '0' && unitsOf(balance) === sum ? [] : [`the books hold ${held}, ${balance} is not ${sum}`]),
    ...(descriptors < 100 ? [] : [`${descriptors} descriptors are open`]),
  ]
}

/** How many requests are under way once none is, or once they have had the time to end. */
async function settled({ addresses }: GatewayProcess): Promise<string | undefined> {
  const untilMs = performance.now() + settlingMsMax
  for (;;) {
    const metrics = await (await fetch(`${addresses.metricsUrl}/metrics`)).text()
    const inFlight = /^assay_requests_in_flight (.*)$/m.exec(metrics)?.[1]
    if (inFlight === '0' || performance.now() > untilMs) return inFlight
    await sleep(500)
  }
}

function memoryMbOf({ child }: GatewayProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
