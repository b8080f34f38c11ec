import { setTimeout as delay } from 'node:timers/promises'

/** Time as an argument, so that tests can control it. */
export interface Clock {
  /** Milliseconds that never go back; only differences mean anything. */
  nowMs(): number
  /** Milliseconds since 1970 by the machine's calendar, for times that clients read. */
  unixMs(): number
  /** Rejects when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  unixMs: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
}
