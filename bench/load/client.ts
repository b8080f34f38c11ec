import autocannon from 'autocannon'
import { createEngine } from '../../src/load/engine/engine.ts'
import { monotonicMs } from '../../src/load/engine/monotonic.ts'
import { createHistogram, statsOf } from '../../src/load/figures/histogram.ts'
import type { LoadPlan } from '../../src/load/schedule/plan.ts'

/** One client of the load benchmark, in its own process: `ours|stock paced|flood URL CONNECTIONS SECONDS`. */
const [who = 'ours', mode = 'paced', url = '', connections = '100', seconds = '5'] = process.argv.slice(2)

/** What one client measured: how far its reads lag behind the stamps, and how many events it read. */
export interface ClientReport {
  readonly lagP50: number
  readonly lagP95: number
  readonly lagP99: number
  readonly eventsPerS: number
  readonly cpuS: number
}

const warmUpMs = 1500
const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Tell me.' }], stream: true })

async function ours(): Promise<Omit<ClientReport, 'cpuS'>> {
  const limitMs = 120_000
  const paced = mode === 'paced'
  const plan: LoadPlan = {
    url,
    headers: { 'Content-Type': 'application/json' },
    model: 'small',
    stream: true,
    maxTokens: 1000,
    promptChars: 60,
    arrivals: { kind: 'closed', connections: Number(connections) },
    durationMs: Number(seconds) * 1000,
    ...(paced && { requestsMax: Number(connections) }),
    warmupMs: 0,
    drainMs: limitMs,
    limits: { connectMs: limitMs, headMs: limitMs, firstContentMs: limitMs, idleMs: limitMs, totalMs: limitMs },
    validateShare: 0.01,
    objectives: [],
    leavingShare: 0,
    seed: 1,
    insecure: false,
    shards: 1,
    stamped: paced,
  }
  const engine = createEngine(plan, { shard: 0, shards: 1 })
  engine.warm()
  const result = await engine.run(monotonicMs() + 500)
  const lag = result.stampLag === undefined ? undefined : statsOf([result.stampLag])
  return {
    lagP50: lag?.p50 ?? Number.NaN,
    lagP95: lag?.p95 ?? Number.NaN,
    lagP99: lag?.p99 ?? Number.NaN,
    eventsPerS: (result.events / (result.lastEndMs - result.firstSendMs)) * 1000,
  }
}

/** autocannon as it is, with the obvious addition: a stamp at each `body`. */
async function stock(): Promise<Omit<ClientReport, 'cpuS'>> {
  const lag = createHistogram()
  let events = 0
  const startMs = performance.now()
  await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    connections: Number(connections),
    ...(mode === 'paced' ? { amount: Number(connections) } : { duration: Number(seconds) }),
    timeout: 120,
    setupClient(client: autocannon.Client) {
      client.on('body', (chunk: Buffer) => {
        const atMs = monotonicMs()
        events += 1
        if (mode !== 'paced') return
        const at = chunk.indexOf('"content":"')
        if (at === -1) return
        lag.record(atMs - Number.parseFloat(chunk.toString('latin1', at + 11, at + 40)))
      })
    },
  } as autocannon.Options)
  const { p50, p95, p99 } = lag.stats()
  return { lagP50: p50, lagP95: p95, lagP99: p99, eventsPerS: (events / (performance.now() - startMs)) * 1000 }
}

// Otherwise compilation is measured too.
await new Promise((resolve) => setTimeout(resolve, warmUpMs / 10))
const report = who === 'ours' ? await ours() : await stock()
const { user, system } = process.cpuUsage()
process.stdout.write(`${JSON.stringify({ ...report, cpuS: (user + system) / 1e6 })}\n`)
process.exit(0)
