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
  /** Of the chat completions. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  readonly stream: boolean
  readonly maxTokens: number
  /** Characters of each prompt, which differs from every other. */
  readonly promptChars: number
  readonly arrivals: Arrivals
  /** How long requests are started. */
  readonly durationMs: number
  /** How many are started at most. */
  readonly requestsMax?: number
  /** What starts in this first part of the run is kept out of the steady figures. */
  readonly warmupMs: number
  /** How long the last may take when no more are started. */
  readonly drainMs: number
  readonly limits: Limits
  /** The share of content chunks that are parsed though they differ from their stream's template. */
  readonly validateShare: number
  readonly objectives: readonly Objective[]
  /** A share of the clients, from 0 to 1, leaves inside its stream. */
  readonly leavingShare: number
  readonly seed: number
  readonly insecure: boolean
  readonly shards: number
  /** Whether each text is the moment at which the server wrote it, on the monotonic clock. */
  readonly stamped: boolean
}
