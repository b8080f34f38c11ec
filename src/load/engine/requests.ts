import { createFlight, type Flight } from '../meter/flight.ts'
import type { Chance } from '../schedule/chance.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { bodies, charsPerToken } from '../schedule/prompt.ts'
import type { Share } from './workload.ts'

/** Makes the requests of one engine. */
export interface Requests {
  /** The engine's request of this number, due at this moment. */
  flight(number: number, intendedAtMs: number): Flight
  /** The body of a request by its place among all of the run. */
  body(index: number): string
}

const contentEventsBeforeLeavingMax = 8

export function createRequests(plan: LoadPlan, { shard, shards }: Share, chance: Chance): Requests {
  const { arrivals, leavingShare } = plan
  const bodyOf = bodies(plan)
  return {
    flight(number, intendedAtMs) {
      const leaves = leavingShare > 0 && chance.unit() < leavingShare
      return createFlight(
        number * shards + shard,
        intendedAtMs,
        leaves ? 1 + Math.floor(chance.unit() * contentEventsBeforeLeavingMax) : undefined,
      )
    },
    body(index) {
      const trace = arrivals.kind === 'trace' ? arrivals.entries[index] : undefined
      const promptChars = trace?.promptTokens === undefined ? undefined : trace.promptTokens * charsPerToken
      return bodyOf(index, promptChars, trace?.completionTokens)
    },
  }
}
