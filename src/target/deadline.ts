/** When a run has to be over; an interruption brings it forward. */
export interface Deadline {
  remainingMs(): number
  /** Ends the time now. */
  stop(): void
  isStopped(): boolean
}

export function createDeadline(endsAtMs: number): Deadline {
  let stoppedAtMs: number | undefined
  return {
    remainingMs: () => (stoppedAtMs ?? endsAtMs) - performance.now(),
    stop() {
      stoppedAtMs = performance.now()
    },
    isStopped: () => stoppedAtMs !== undefined,
  }
}
