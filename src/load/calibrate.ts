import { runShards } from './engine/shards.ts'
import { type LoadResult, mergeResults } from './figures/result.ts'
import { startStampedServer } from './stamped-server.ts'

/** The client's own error at one load: the time from the server's write of an event to its stamp, in milliseconds. */
export interface Calibration {
  readonly streams: number
  readonly eventsPerS: number
  readonly result: LoadResult
}

const gapMs = 20
const firstMs = 200

/**
 * Measures this machine's error: a server on it writes the moment of each event into the event, on the clock that the
 * client reads. All streams send at once, which is the hardest case. Both share the machine: the error is an upper bound.
 */
export async function calibrate(streams: number, seconds: number, shards: number): Promise<Calibration> {
  const server = await startStampedServer({ firstMs, everyMs: gapMs, events: Math.round((seconds * 1000) / gapMs) })
  const limitMs = seconds * 1000 + 30_000
  const plan = {
    url: server.url,
    headers: { 'Content-Type': 'application/json' },
    model: 'small',
    stream: true,
    maxTokens: 1000,
    promptChars: 100,
    arrivals: { kind: 'closed', connections: streams },
    durationMs: 60_000,
    requestsMax: streams,
    warmupMs: 0,
    drainMs: limitMs,
    limits: { connectMs: 10_000, headMs: limitMs, firstContentMs: limitMs, idleMs: limitMs, totalMs: limitMs },
    validateShare: 0.01,
    objectives: [],
    leavingShare: 0,
    seed: 1,
    insecure: false,
    shards,
    stamped: true,
  } as const
  try {
    const result = mergeResults(plan, await runShards(plan))
    return { streams, eventsPerS: result.throughput.eventsPerS, result }
  } finally {
    await server.close()
  }
}
