import { interruption, timeIsUp } from '../unsettled.ts'

/** When a run has to be over; an interruption brings it forward. */
export interface Deadline {
  remainingMs(): number
  /** Why no more requests go; undefined as long as they do. */
  spent(): string | undefined
  /** Ends the time now. */
  stop(): void
  /** Resolves, with the reason, when nothing is waited for any more: at once when stopped, else soon after the time is up. */
  readonly over: Promise<string>
  /** Forgets its timer. */
  cancel(): void
}

/** After its time is up, a run waits this long for checks that ask nothing more, such as audits. */
const graceMs = 2500
/** The longest that a timer can wait. */
const timerMsMax = 2 ** 31 - 1

export function createDeadline(startsAtMs: number, durationMs: number): Deadline {
  const { promise: over, resolve } = Promise.withResolvers<string>()
  const remainingOf = (endMs: number): number => endMs - performance.now()
  let endMs = startsAtMs + durationMs
  let isStopped = false
  const expire = (): void => resolve(timeIsUp(durationMs))
  const timer = setTimeout(expire, Math.min(timerMsMax, Math.max(0, remainingOf(endMs) + graceMs)))
  timer.unref()
  return {
    remainingMs: () => remainingOf(endMs),
    spent() {
      if (isStopped) return interruption
      return remainingOf(endMs) > 0 ? undefined : timeIsUp(durationMs)
    },
    stop() {
      isStopped = true
      endMs = performance.now()
      resolve(interruption)
    },
    over,
    cancel: () => clearTimeout(timer),
  }
}
