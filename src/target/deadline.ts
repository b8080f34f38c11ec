/** When a run has to be over; an interruption brings it forward. */
export interface Deadline {
  remainingMs(): number
  /** Ends the time now. */
  stop(): void
  isStopped(): boolean
  /** Gives time back that was spent on waiting for the target; in all no more than the run has. */
  extend(ms: number): void
}

export function createDeadline(startsAtMs: number, durationMs: number): Deadline {
  let stoppedAtMs: number | undefined
  let extraMs = 0
  return {
    remainingMs: () => (stoppedAtMs ?? startsAtMs + durationMs + extraMs) - performance.now(),
    stop() {
      stoppedAtMs = performance.now()
    },
    isStopped: () => stoppedAtMs !== undefined,
    extend(ms) {
      extraMs = Math.min(durationMs, extraMs + ms)
    },
  }
}
