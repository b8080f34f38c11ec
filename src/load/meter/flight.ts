import type { Outcome } from '../figures/outcome.ts'

/** One request on its way. Moments are on the monotonic clock, and NaN until they come. */
export interface Flight {
  /** Its place among all requests of the run. */
  readonly index: number
  /** When it should start: when the schedule says, or when the previous one on its connection ends. */
  readonly intendedAtMs: number
  sentAtMs: number
  headAtMs: number
  firstEventAtMs: number
  firstContentAtMs: number
  secondContentAtMs: number
  lastContentAtMs: number
  /** When `[DONE]` came. */
  doneAtMs: number
  lastReadAtMs: number
  endedAtMs: number
  status: number
  /** Events with data, `[DONE]` included. */
  events: number
  contentEvents: number
  /** As the reply counts them; NaN if it does not. */
  completionTokens: number
  promptTokens: number
  /** After how many content events the client leaves; infinite for one that stays. */
  readonly leavesAfter: number
  /** How late the last stamped text was read. */
  lastLagMs: number
  outcome: Outcome | undefined
  /** What was wrong. */
  reason: string
}

export function createFlight(index: number, intendedAtMs: number, leavesAfter = Number.POSITIVE_INFINITY): Flight {
  const unknown = Number.NaN
  return {
    index,
    intendedAtMs,
    sentAtMs: unknown,
    headAtMs: unknown,
    firstEventAtMs: unknown,
    firstContentAtMs: unknown,
    secondContentAtMs: unknown,
    lastContentAtMs: unknown,
    doneAtMs: unknown,
    lastReadAtMs: unknown,
    endedAtMs: unknown,
    status: 0,
    events: 0,
    contentEvents: 0,
    completionTokens: unknown,
    promptTokens: unknown,
    leavesAfter,
    lastLagMs: unknown,
    outcome: undefined,
    reason: '',
  }
}
