import type { Outcome } from '../figures/outcome.ts'

/** One request on its way. Moments are on the monotonic clock, NaN until they come. */
export interface Flight {
  /** Its place among all requests of the run. */
  readonly index: number
  /** When it should start: the schedule's moment, or the end of the one before on its connection. */
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
  /** Events with data, `[DONE]` among them. */
  events: number
  contentEvents: number
  /** As the reply counts them; NaN when it does not. */
  completionTokens: number
  promptTokens: number
  /** After how many content events the client leaves; infinite for one that stays. */
  readonly leavesAfter: number
  /** How late the last stamped text was read. */
  lastLagMs: number
  outcome: Outcome | undefined
  /** What was wrong, in words. */
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
