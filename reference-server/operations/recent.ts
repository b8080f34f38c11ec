import type { Call } from '../gateway/seams.ts'
import { type Outcome, outcomes } from '../store/request-log.ts'
import type { EndedRequest } from './activity.ts'
import { outcomeOf } from './request-log.ts'

/** So many requests of a model or a node are looked at: enough for a 99th percentile, and few enough to be recent. */
export const recentMax = 1000

/** How the last requests of a model or a node ended. */
export interface Recent {
  readonly name: string
  readonly requests: number
  /** How many of them ended in each way. */
  readonly ended: Readonly<Record<Outcome, number>>
  /** Of whole replies, in milliseconds; absent where there is none. */
  readonly durationMs?: Percentiles
  /** Of whole streams, likewise. */
  readonly firstTokenMs?: Percentiles
}

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** The last requests by model and by node. Numbers are kept and no objects, so that nothing of a request outlives it. */
export interface RecentRequests {
  add(request: EndedRequest, call: Pick<Call, 'tried'>): void
  byModel(): readonly Recent[]
  /** A node that failed and was followed by another one has failed. */
  byNode(): readonly Recent[]
}

export function recentRequests(): RecentRequests {
  const models = new Map<string, Ring>()
  const nodes = new Map<string, Ring>()
  return {
    add(request, { tried }) {
      const { model, nodeId, durationMs, firstTokenMs } = request
      if (model === null) return
      const outcome = outcomeOf(request)
      ringOf(models, model).add(outcome, durationMs, firstTokenMs)
      for (const id of tried)
        if (id === nodeId) ringOf(nodes, id).add(outcome, durationMs, firstTokenMs)
        else ringOf(nodes, id).add('failed', durationMs, null)
    },
    byModel: () => [...models].map(([name, ring]) => ring.summary(name)),
    byNode: () => [...nodes].map(([name, ring]) => ring.summary(name)),
  }
}

interface Ring {
  add(outcome: Outcome, durationMs: number, firstTokenMs: number | null): void
  summary(name: string): Recent
}

function ringOf(rings: Map<string, Ring>, name: string): Ring {
  let ring = rings.get(name)
  if (ring === undefined) {
    ring = createRing()
    rings.set(name, ring)
  }
  return ring
}

function createRing(): Ring {
  const ends = new Uint8Array(recentMax)
  const durations = new Float64Array(recentMax)
  /** NaN where there was none. */
  const firstTokens = new Float64Array(recentMax)
  let count = 0
  const whole = outcomes.indexOf('ok')
  const ofWhole = (values: Float64Array): readonly number[] =>
    [...values.subarray(0, Math.min(count, recentMax))].filter(
      (value, at) => ends[at] === whole && !Number.isNaN(value),
    )
  return {
    add(outcome, durationMs, firstTokenMs) {
      const at = count % recentMax
      count += 1
      ends[at] = outcomes.indexOf(outcome)
      durations[at] = durationMs
      firstTokens[at] = firstTokenMs ?? Number.NaN
    },
    summary(name) {
      const requests = Math.min(count, recentMax)
      const seen = ends.subarray(0, requests)
      const ended = Object.fromEntries(
        outcomes.map((outcome, index) => [outcome, seen.filter((end) => end === index).length]),
      ) as Record<Outcome, number>
      const [durationMs, firstTokenMs] = [percentilesOf(ofWhole(durations)), percentilesOf(ofWhole(firstTokens))]
      return {
        name,
        requests,
        ended,
        ...(durationMs !== undefined && { durationMs }),
        ...(firstTokenMs !== undefined && { firstTokenMs }),
      }
    },
  }
}

function percentilesOf(values: readonly number[]): Percentiles | undefined {
  if (values.length === 0) return undefined
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
