import type { Arrivals } from './arrivals.ts'
import type { Objective } from './objective.ts'

/** Time limits of one request, in milliseconds. */
export interface Limits {
  readonly connectMs: number
  readonly headMs: number
  readonly firstContentMs: number
  /** Between two reads. */
  readonly idleMs: number
  readonly totalMs: number
}

/** A load to put on a gateway. Plain data: it crosses threads. */
export interface LoadPlan {
  /** Of the chat completions endpoint. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  readonly stream: boolean
  readonly maxTokens: number
  /** Characters of each prompt; no two prompts are the same. */
  readonly promptChars: number
  readonly arrivals: Arrivals
  /** How long new requests are started. */
  readonly durationMs: number
  /** The most requests that are started. */
  readonly requestsMax?: number
  /** Requests that start in this first part of the run are kept out of the steady figures. */
  readonly warmupMs: number
  /** How long the last ones may take once no more are started. */
  readonly drainMs: number
  readonly limits: Limits
  /** The share of content chunks that are parsed when they differ from their stream's template. */
  readonly validateShare: number
  readonly objectives: readonly Objective[]
  /** The share of clients, from 0 to 1, that leave in the middle of their stream. */
  readonly leavingShare: number
  readonly seed: number
  readonly insecure: boolean
  readonly shards: number
  /** Whether each text says when the server wrote it, on the monotonic clock. */
  readonly stamped: boolean
}
