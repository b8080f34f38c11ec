import autocannon from 'autocannon'
import { createEngine } from '../../src/load/engine/engine.ts'
import { monotonicMs } from '../../src/load/engine/monotonic.ts'
import { statsOf } from '../../src/load/figures/histogram.ts'
import type { LoadPlan } from '../../src/load/schedule/plan.ts'
import {
  type Answerer,
  doneEvent,
  event,
  framed,
  lastChunk,
  planOf,
  startByteServer,
  streamHead,
  wholeStream,
} from '../../src/load/test-tools.ts'

/**
 * `npm run bench:load-probes`: what a general load tool says about servers that misbehave in known ways, and what ours
 * says. It prints the probe, the truth, autocannon as it is, and ours.
 */
type Stock = autocannon.Result
type Ours = Awaited<ReturnType<ReturnType<typeof createEngine>['run']>>

interface Probe {
  readonly title: string
  readonly answer: Answerer
  readonly stock: Partial<autocannon.Options>
  readonly ours: Partial<LoadPlan>
  truth(given: ReadonlyMap<string, number>): string
  sayStock(result: Stock, sends: readonly number[]): string
  sayOurs(result: Ours, sends: readonly number[]): string
}

const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hi' }], stream: true })
const whole = wholeStream(['One ', 'two.'])
const cut = streamHead + framed(event('One '))
const sum = (given: ReadonlyMap<string, number>): number => [...given.values()].reduce((all, one) => all + one, 0)
const e2e = (result: Ours): string => {
  const stats = statsOf([result.steady['e2e.service'] ?? []].flat())
  return `${stats.count} samples, p50 ${stats.p50.toFixed(2)} ms`
}
const count = ({ outcomes: { ok, sent } }: Ours): string => `${ok} ok of ${sent}`
const stockCount = ({ '2xx': good, errors, timeouts }: Stock): string =>
  `${good} "2xx", ${errors} errors, ${timeouts} timeouts`
const later =
  (ms: number, kind = 'ok'): Answerer =>
  (socket) => {
    setTimeout(() => socket.write(whole), ms)
    return kind
  }
const open = (rate: number, durationMs: number, connectionsMax = 1000): Partial<LoadPlan> => ({
  arrivals: { kind: 'open', process: 'constant', stages: [{ durationMs, from: rate, to: rate }], connectionsMax },
  durationMs,
})

/** The largest number of sends within 5 ms. */
function burst(sends: readonly number[]): number {
  return Math.max(0, ...sends.map((at, index) => sends.slice(index).filter((other) => other - at <= 5).length))
}

const probes: readonly Probe[] = [
  {
    title: 'P1 a stream of 3 s, time limit 2 s without data',
    answer: (socket) => {
      socket.write(streamHead)
      for (let at = 1; at <= 30; at += 1)
        setTimeout(
          () => socket.write(framed(event(`${at} `)) + (at === 30 ? framed(doneEvent) + lastChunk : '')),
          at * 100,
        )
      return 'ok'
    },
    stock: { connections: 2, amount: 2, timeout: 2 },
    ours: {
      requestsMax: 2,
      limits: { connectMs: 2000, headMs: 2000, firstContentMs: 2000, idleMs: 2000, totalMs: 60_000 },
    },
    truth: () => '2 whole streams',
    sayStock: stockCount,
    sayOurs: count,
  },
  {
    title: 'P2 every stream is cut by FIN',
    answer: (socket) => {
      socket.end(cut)
      return 'truncated'
    },
    stock: { connections: 4, duration: 2 },
    ours: { durationMs: 2000 },
    truth: (given) => `0 whole of ${sum(given)}`,
    sayStock: stockCount,
    sayOurs: (result) => `${count(result)}, ${result.outcomes.truncated} truncated`,
  },
  {
    title: 'P2b every stream is reset',
    answer: (socket) => {
      socket.write(cut)
      setTimeout(() => socket.resetAndDestroy(), 5)
      return 'reset'
    },
    stock: { connections: 4, duration: 2 },
    ours: { durationMs: 2000 },
    truth: (given) => `0 whole of ${sum(given)}`,
    sayStock: stockCount,
    sayOurs: (result) => `${count(result)}, ${result.outcomes.reset} reset`,
  },
  {
    title: 'P2c every second stream is cut, one connection',
    answer: (socket, number) => {
      if (number % 2 === 0) socket.write(whole)
      else socket.end(cut)
      return number % 2 === 0 ? 'ok' : 'truncated'
    },
    stock: { connections: 1, duration: 2 },
    ours: { durationMs: 2000, arrivals: { kind: 'closed', connections: 1 } },
    truth: (given) => `${given.get('ok')} whole, ${given.get('truncated')} cut`,
    sayStock: stockCount,
    sayOurs: (result) => `${count(result)}, ${result.outcomes.truncated} truncated`,
  },
  {
    title: 'P3 an error within every stream, no [DONE]',
    answer: (socket) => {
      socket.write(cut + framed('data: {"error":{"message":"died"}}\n\n') + lastChunk)
      return 'inBandError'
    },
    stock: { connections: 2, amount: 50 },
    ours: { requestsMax: 50 },
    truth: () => '0 whole of 50',
    sayStock: stockCount,
    sayOurs: (result) => `${count(result)}, ${result.outcomes.inBandError} in-band errors`,
  },
  {
    title: 'P5 replies of 500 ms at 10 per second',
    answer: later(500),
    stock: { connections: 10, overallRate: 10, duration: 4 },
    ours: open(10, 4000),
    truth: () => 'p50 500 ms',
    sayStock: ({ latencies, latency, '2xx': good }: Stock & { latencies?: unknown }) =>
      `${good} replies, p50 ${(latencies as Stock['latency'] | undefined)?.p50 ?? latency.p50} ms`,
    sayOurs: e2e,
  },
  {
    title: 'P6 20 per second, which should be 50 ms apart',
    answer: later(0),
    stock: { connections: 4, overallRate: 20, duration: 3 },
    ours: open(20, 3000),
    truth: () => 'one send within any 5 ms',
    sayStock: (_, sends) => `up to ${burst(sends)} within 5 ms`,
    sayOurs: (_, sends) => `up to ${burst(sends)} within 5 ms`,
  },
  {
    title: 'P6b 20 per second, replies of 400 ms, 4 connections to begin with',
    answer: later(400),
    stock: { connections: 4, overallRate: 20, duration: 4 },
    ours: open(20, 4000),
    truth: () => '80 requests in 4 s',
    sayStock: (_, sends) => `${sends.length} requests`,
    sayOurs: (_, sends) => `${sends.length} requests`,
  },
  {
    title: 'P8 streams of 3 s, a run of 1 s',
    answer: later(3000),
    stock: { connections: 20, duration: 1 },
    ours: {
      durationMs: 1000,
      arrivals: { kind: 'closed', connections: 20 },
      limits: { connectMs: 2000, headMs: 9000, firstContentMs: 9000, idleMs: 9000, totalMs: 9000 },
    },
    truth: () => '20 sent, 20 ended',
    sayStock: stockCount,
    sayOurs: count,
  },
  {
    title: 'P11 replies of well under a millisecond',
    answer: later(0),
    stock: { connections: 1, amount: 300 },
    ours: { requestsMax: 300, arrivals: { kind: 'closed', connections: 1 } },
    truth: () => 'above 0 ms',
    sayStock: ({ latency }) => `p50 ${latency.p50} ms`,
    sayOurs: e2e,
  },
  {
    title: 'P14 half are 503 at once, half 200 in 100 ms',
    answer: (socket, number) => {
      if (number % 2 === 0) socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n')
      else setTimeout(() => socket.write(whole), 100)
      return ''
    },
    stock: { connections: 4, amount: 60 },
    ours: { requestsMax: 60 },
    truth: () => 'p50 100 ms',
    sayStock: ({ latency }) => `p50 ${latency.p50} ms`,
    sayOurs: e2e,
  },
  {
    title: 'P16 bytes that are not HTTP',
    answer: (socket) => {
      socket.write('220 smtp.example ESMTP\r\n')
      return 'framing'
    },
    stock: { connections: 1, amount: 2, timeout: 1 },
    ours: { requestsMax: 2 },
    truth: () => 'not HTTP',
    sayStock: stockCount,
    sayOurs: (result) => `${result.outcomes.framing} framing: ${result.reasons.framing?.[0]}`,
  },
]

for (const probe of probes) {
  const sends: { stock: number[]; ours: number[] } = { stock: [], ours: [] }
  const serve = (who: 'stock' | 'ours') =>
    startByteServer((socket, number, text) => {
      sends[who].push(performance.now())
      return probe.answer(socket, number, text)
    })
  const [first, second] = [await serve('stock'), await serve('ours')]
  const headers = { 'content-type': 'application/json' }
  const patience = AbortSignal.timeout(20_000)
  const running = autocannon({ url: first.url, method: 'POST', headers, body, ...probe.stock } as autocannon.Options)
  // Some runs never end by themselves.
  patience.addEventListener('abort', () => (running as unknown as { stop(): void }).stop())
  const stock = await running
  const engine = createEngine(planOf(second.url, probe.ours), { shard: 0, shards: 1 })
  engine.warm()
  const ours = await engine.run(monotonicMs() + 50)
  console.log(
    `${probe.title}\n  truth ${probe.truth(second.given)}\n  stock ${probe.sayStock(stock, sends.stock)}\n  ours  ${probe.sayOurs(ours, sends.ours)}`,
  )
  await first.close()
  await second.close()
}

// P15: nobody listens. How often does each client try?
const gone = await startByteServer(() => '')
await gone.close()
const refused = await autocannon({ url: gone.url, connections: 10, duration: 1 })
const engine = createEngine(planOf(gone.url, { durationMs: 1000, arrivals: { kind: 'closed', connections: 10 } }), {
  shard: 0,
  shards: 1,
})
const { outcomes } = await engine.run(monotonicMs() + 50)
console.log(
  `P15 a refused connection, 10 connections, 1 s\n  stock ${refused.errors} connects\n  ours  ${outcomes.connect} connects, with growing pauses`,
)
process.exit(0)
