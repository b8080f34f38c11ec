import { createChance } from './chance.ts'

/** One request of a trace: when it starts, in milliseconds, and how long its prompt and its reply are. */
export interface TraceEntry {
  readonly atMs: number
  readonly promptTokens?: number
  readonly completionTokens?: number
}

/** A stretch of time in which the rate, in requests per second, goes linearly from one value to another. */
export interface Stage {
  readonly durationMs: number
  readonly from: number
  readonly to: number
}

/**
 * How requests start. Closed: each connection sends its next request when its last one has ended. Open: at moments that
 * no reply can delay, as the users of a service come.
 */
export type Arrivals =
  | { readonly kind: 'closed'; readonly connections: number }
  | {
      readonly kind: 'open'
      readonly process: 'constant' | 'poisson' | 'gamma'
      /** Shape of the gamma process, 0.5 in bursts. */
      readonly shape?: number
      readonly stages: readonly Stage[]
      readonly connectionsMax: number
    }
  | { readonly kind: 'trace'; readonly entries: readonly TraceEntry[]; readonly connectionsMax: number }

/**
 * The moments at which requests start, in milliseconds after the start of the run. Arrivals of rate 1 are drawn, and
 * time is stretched by the cumulative rate, so a ramp or a step keeps the statistics of its process.
 */
export function schedule(arrivals: Exclude<Arrivals, { kind: 'closed' }>, seed: number): Float64Array {
  if (arrivals.kind === 'trace') return Float64Array.from(arrivals.entries, ({ atMs }) => atMs).sort()
  const { process, shape = 0.5, stages } = arrivals
  const chance = createChance(seed)
  const draw = process === 'constant' ? () => 1 : process === 'poisson' ? chance.exponential : () => chance.gamma(shape)
  const times: number[] = []
  let stageStartMs = 0
  let expectedBefore = 0
  // A constant process starts at once; chance decides when the others do.
  let position = process === 'constant' ? 0 : draw()
  for (const stage of stages) {
    const expected = expectedRequests(stage, stage.durationMs)
    // A last arrival that is inside only by rounding belongs to the next stage.
    while (position < expectedBefore + expected - 1e-9) {
      times.push(stageStartMs + momentOf(stage, position - expectedBefore))
      position += draw()
    }
    expectedBefore += expected
    stageStartMs += stage.durationMs
  }
  return Float64Array.from(times)
}

/** How many requests a stage expects in this first part of its time. */
function expectedRequests({ durationMs, from, to }: Stage, ms: number): number {
  return (from * ms + ((to - from) * ms * ms) / (2 * durationMs)) / 1000
}

/** When a stage has expected this many requests: the inverse of the above. */
function momentOf({ durationMs, from, to }: Stage, requests: number): number {
  if (from === to) return (requests / from) * 1000
  const slope = (to - from) / durationMs
  return (Math.sqrt(Math.max(0, from * from + 2 * slope * requests * 1000)) - from) / slope
}

/** Every n-th moment: the parts of all shards add up to the whole schedule, and to its process. */
export function shareOf(times: Float64Array, shard: number, shards: number): Float64Array {
  return times.filter((_, index) => index % shards === shard)
}
