import { setTimeout as delay } from 'node:timers/promises'

/** Time as an argument, so that tests can control it. */
export interface Clock {
  /** Milliseconds that never go back; only differences mean anything. */
  nowMs(): number
  /** Milliseconds since 1970 by the machine's calendar, for times that clients read. */
  unixMs(): number
  /** Rejects when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `work` once after `ms`, unless the function that it returns is called before. */
  after(ms: number, work: () => void): () => void
  /** Calls `work` every `ms` until the function that it returns is called. It keeps no process alive. */
  every(ms: number, work: () => void): () => void
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  unixMs: () => Date.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
  every(ms, work) {
    const timer = setInterval(work, ms).unref()
    return () => clearInterval(timer)
  },
}
