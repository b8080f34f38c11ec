import type { Clock } from '../clock.ts'
import { type TokenBucket, tokenBucket } from '../keys/token-bucket.ts'

const ATTEMPTS_PER_MINUTE = 10
const BUCKETS_MAX = 10_000

/** Attempts to sign in, by where they come from and by whom they are for: guessing is slow in both directions. */
export interface SignInLimit {
  /** Seconds to wait, 0 when the attempt may be made. */
  attempt(...sources: readonly string[]): number
}

export function signInLimit(clock: Pick<Clock, 'nowMs'>): SignInLimit {
  const buckets = new Map<string, TokenBucket>()

  function bucketOf(source: string): TokenBucket {
    const bucket = buckets.get(source) ?? tokenBucket(ATTEMPTS_PER_MINUTE, clock)
    // The one used last is the last to go.
    buckets.delete(source)
    buckets.set(source, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > BUCKETS_MAX && oldest !== undefined) buckets.delete(oldest)
    return bucket
  }

  return {
    attempt(...sources) {
      const own = sources.map(bucketOf)
      const waitMs = Math.max(...own.map((bucket) => bucket.waitMs(1)))
      if (waitMs === 0) for (const bucket of own) bucket.take(1)
      return Math.ceil(waitMs / 1000)
    },
  }
}
