import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Server, startRedis } from './machine.ts'

const bin = join(import.meta.dirname, '..', '..', 'bin', 'assay.cjs')
const key = 'sk-fleet-0123456789abcdef'
const answerMs = 1000

let redis: Server
let gateway: HttpServer
let baseUrl: string
const seen = new Set<string>()
const children: ChildProcess[] = []
/** Told of every request. */
let onRequest: () => void = () => {}

/** Every reply takes the same time, so that percentiles are known. */
beforeAll(async () => {
  redis = await startRedis()
  gateway = createServer((request, response) => {
    seen.add(request.headers.authorization ?? '')
    request.resume()
    onRequest()
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = { id: 'a', choices: [{ index: 0, delta: { content: 'Hello.' } }] }
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
    }, answerMs)
  })
  await new Promise<void>((listening) => gateway.listen(0, '127.0.0.1', listening))
  const address = gateway.address()
  baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

afterAll(async () => {
  gateway.closeAllConnections()
  gateway.close()
  await redis.stop()
})

function assay(args: readonly string[], apiKey = ''): ChildProcess {
  const child = spawn(process.execPath, [bin, ...args], { env: { ...process.env, ASSAY_API_KEY: apiKey } })
  children.push(child)
  return child
}

async function joinFleet(): Promise<ChildProcess> {
  const worker = assay(['load', 'join', redis.url], key)
  if (worker.stderr === null) throw new Error('the worker has no output')
  for await (const line of createInterface(worker.stderr)) if (line.endsWith('joined')) break
  return worker
}

interface Report {
  readonly outcomes: { readonly sent: number; readonly ok: number }
  readonly metrics: {
    readonly e2e: { readonly service: { readonly count: number; readonly p50: number; readonly p95: number } }
  }
  readonly validity: { readonly verdict: string; readonly reasons: readonly string[] }
}

async function load(
  args: readonly string[],
  started: (child: ChildProcess) => void = () => {},
): Promise<{ readonly report: Report; readonly code: number; readonly text: string }> {
  const file = join(tmpdir(), `assay-fleet-${process.pid}-${performance.now()}.json`)
  const common = [
    '--base-url',
    baseUrl,
    '--model',
    'small',
    '--rate',
    '30',
    '--duration',
    '3',
    '--warmup',
    '0',
    '--seed',
    '9',
  ]
  const child = assay(['load', ...common, '--report', `json=${file}`, '--report', 'terminal', ...args])
  started(child)
  let text = ''
  child.stdout?.on('data', (bytes) => {
    text += bytes
  })
  child.stderr?.on('data', (bytes) => {
    text += bytes
  })
  const [code]: number[] = await once(child, 'close')
  if (!existsSync(file)) throw new Error(`no report, exit ${code}: ${text}`)
  const content = readFileSync(file, 'utf8')
  rmSync(file)
  return { report: JSON.parse(content) as Report, code: code ?? -1, text: text + content }
}

test('two machines of a fleet measure what one process measures', async () => {
  const workers = await Promise.all([joinFleet(), joinFleet()])
  const fleet = await load(['--fleet', redis.url, '--workers', '2', '--shards', '1'])
  const one = await load(['--shards', '1', '--api-key', key])
  for (const worker of workers) worker.kill('SIGTERM')
  expect(fleet.code).toBe(0)
  // The parts of the schedule are the whole: not one request more or less.
  expect(fleet.report.outcomes).toEqual(one.report.outcomes)
  expect(fleet.report.outcomes.ok).toBe(fleet.report.outcomes.sent)
  const [ours, theirs] = [fleet.report.metrics.e2e.service, one.report.metrics.e2e.service]
  expect(ours.count).toBe(theirs.count)
  // Three digits of a second, and what timers of three processes on one machine differ by.
  for (const name of ['p50', 'p95'] as const) expect(Math.abs(ours[name] - theirs[name])).toBeLessThan(25)
  // Each machine used the key of its own environment; the order did not hold it, and nothing shows it.
  expect([...seen]).toEqual([`Bearer ${key}`])
  expect(fleet.text).not.toContain(key)
})

test('a machine that is lost makes the run invalid', async () => {
  const workers = await Promise.all([joinFleet(), joinFleet()])
  const running = load(['--fleet', redis.url, '--workers', '2', '--shards', '1'])
  setTimeout(() => workers[0]?.kill('SIGKILL'), 4000)
  const { report, code } = await running
  workers[1]?.kill('SIGTERM')
  expect(code).toBe(3)
  expect(report.validity.verdict).toBe('invalid')
  expect(report.validity.reasons.join()).toContain('was lost')
})

test('a fleet that is interrupted stops on every machine, and reports what it has', async () => {
  const workers = await Promise.all([joinFleet(), joinFleet()])
  let requests = 0
  const { report, code } = await load(
    ['--fleet', redis.url, '--workers', '2', '--shards', '1', '--duration', '60'],
    (child) => {
      onRequest = () => {
        requests += 1
        if (requests === 10) child.kill('SIGINT')
      }
    },
  )
  onRequest = () => {}
  for (const worker of workers) worker.kill('SIGTERM')
  expect(code).toBe(130)
  expect(report.validity.verdict).toBe('interrupted')
  expect(report.validity.reasons.join()).not.toContain('machine')
  expect(report.outcomes.sent).toBe(requests)
  expect(report.outcomes.sent).toBeLessThan(60 * 30)
})
