import { type Arrivals, schedule, shareOf } from '../schedule/arrivals.ts'
import type { LoadPlan } from '../schedule/plan.ts'

/** Which part of a plan one engine carries. */
export interface Share {
  readonly shard: number
  readonly shards: number
}

/** One engine's part of a plan: over how many connections it sends how many requests at most, and when. */
export interface Workload {
  readonly connections: number
  readonly requestsMax: number
  /** When each request is due, in milliseconds after the start; absent in a closed loop. */
  readonly times?: Float64Array
}

export function workloadOf({ arrivals, seed, requestsMax }: LoadPlan, { shard, shards }: Share): Workload {
  return {
    connections: partOf(connectionsOf(arrivals), shard, shards),
    requestsMax: requestsMax === undefined ? Number.POSITIVE_INFINITY : partOf(requestsMax, shard, shards),
    ...(arrivals.kind !== 'closed' && { times: shareOf(schedule(arrivals, seed), shard, shards) }),
  }
}

function connectionsOf(arrivals: Arrivals): number {
  return arrivals.kind === 'closed' ? arrivals.connections : arrivals.connectionsMax
}

/** The part of a whole number that falls to one of several. */
function partOf(whole: number, shard: number, shards: number): number {
  return Math.floor(whole / shards) + (shard < whole % shards ? 1 : 0)
}
