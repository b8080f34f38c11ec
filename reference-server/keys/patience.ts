import type { Clock } from '../clock.ts'
import { sourceBuckets } from './source-buckets.ts'

/** Far more than clients need that wait as they are told, and a twentieth of a second's work for the gateway. */
const REFUSALS_PER_MINUTE = 1200

/** The longest that an answer is kept back: many clients give up on one that takes much longer. */
const DELAY_MS_MAX = 1000
/** The longest wait that a client is told. */
const WAIT_MS_MAX = 60_000
/** How many answers are kept back at once. Clients that send on without reading an answer could otherwise fill the memory. */
const KEPT_BACK_MAX = 10_000

/** What becomes of one refusal. */
interface Refused {
  /** How long its answer is kept back. */
  readonly delayMs: number
  /** How long the client should wait before it asks again, in whole seconds; 0 where its source may be refused more often. */
  readonly waitS: number
}

/**
 * The patience with clients that are refused and ask again at once. A source, which is a key or, without a known key, an address, may
 * be refused so many times in a minute. Beyond that the wait that it is told grows with each refusal, and so does the time for which
 * the answer is kept back. Nothing that can be served is refused or delayed, and sources do not share anything.
 */
export interface Patience {
  /** How many answers were kept back so far. */
  readonly delayed: number
  /** Notes a refusal. */
  refused(source: string): Refused
  /** Resolves once the answer may go out, or when the client has left. False where too many wait already: that answer goes out now. */
  keepBack(delayMs: number, left: AbortSignal): Promise<boolean>
}

/** With 0 refusals a minute nobody is ever told to wait. */
export function createPatience(
  clock: Pick<Clock, 'nowMs' | 'sleep'>,
  perMinute: number = REFUSALS_PER_MINUTE,
): Patience {
  const bucketOf = sourceBuckets(clock)
  let keptBack = 0
  let delayed = 0
  return {
    get delayed() {
      return delayed
    },
    refused(source) {
      if (perMinute === 0) return { delayMs: 0, waitS: 0 }
      const bucket = bucketOf(source, perMinute)
      const waitMs = bucket.waitMs(1)
      if (waitMs < WAIT_MS_MAX) bucket.take(1)
      return { delayMs: Math.min(waitMs, DELAY_MS_MAX), waitS: Math.ceil(Math.min(waitMs, WAIT_MS_MAX) / 1000) }
    },
    async keepBack(delayMs, left) {
      if (keptBack >= KEPT_BACK_MAX) return false
      keptBack += 1
      delayed += 1
      await clock.sleep(delayMs, left).catch(() => undefined)
      keptBack -= 1
      return true
    },
  }
}
