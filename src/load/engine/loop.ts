import type { Lane } from '../client/lane.ts'

/** Decides when which lane sends. */
export interface Loop {
  /** Requests that were due and not sent. */
  readonly unsent: number
  readonly connectionsUsed: number
  /** Whether no further request will be started. */
  readonly isSpent: boolean
  start(startAtMs: number): void
  /** A lane can carry its next request. */
  free(lane: Lane): void
  /** Starts no more requests. */
  stop(): void
}

/** What every loop works with. */
export interface LoopOptions {
  readonly lanes: readonly Lane[]
  /** Puts the request of this number on a lane. */
  send(lane: Lane, number: number, intendedAtMs: number): void
  /** Told when the last request that will be started has been. */
  onSpent(): void
}
