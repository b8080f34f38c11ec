import type { Outcome } from '../figures/outcome.ts'
import type { Flight } from '../meter/flight.ts'
import type { Limits } from '../schedule/plan.ts'

/** The time limit that a request has exceeded. After `[DONE]` only the end of the body is missing: the reply counts as complete. */
export function overdue(
  flight: Flight,
  isEventStream: boolean,
  limits: Limits,
  nowMs: number,
): Outcome | 'complete' | undefined {
  const sinceSendMs = nowMs - flight.sentAtMs
  const isDone = !Number.isNaN(flight.doneAtMs)
  if (sinceSendMs > limits.totalMs) return 'totalTimeout'
  if (Number.isNaN(flight.headAtMs)) return sinceSendMs > limits.headMs ? 'headTimeout' : undefined
  if (isEventStream && flight.contentEvents === 0 && !isDone)
    return sinceSendMs > limits.firstContentMs ? 'firstContentTimeout' : undefined
  if (nowMs - flight.lastReadAtMs <= limits.idleMs) return undefined
  return isDone ? 'complete' : 'idleTimeout'
}
