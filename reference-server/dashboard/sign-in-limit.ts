import type { Clock } from '../clock.ts'
import { sourceBuckets } from '../keys/source-buckets.ts'
import type { TokenBucket } from '../keys/token-bucket.ts'

const ATTEMPTS_PER_MINUTE = 10
/** More than from one address: somebody who guesses from many places must not lock a person out at once. */
const ATTEMPTS_FOR_ONE_PER_MINUTE = 30

/** Limits attempts to sign in from one address and for one person, so that guessing is slow both ways. */
export interface SignInLimit {
  /** Seconds to wait, 0 when the attempt may be made. */
  attempt(address: string, person?: string): number
  /** The attempt succeeded, so it does not count. */
  succeeded(address: string, person?: string): void
}

export function signInLimit(clock: Pick<Clock, 'nowMs'>): SignInLimit {
  const bucketOf = sourceBuckets(clock)
  const bucketsOf = (address: string, person: string | undefined): readonly TokenBucket[] => [
    bucketOf(`from ${address}`, ATTEMPTS_PER_MINUTE),
    ...(person === undefined ? [] : [bucketOf(`for ${person}`, ATTEMPTS_FOR_ONE_PER_MINUTE)]),
  ]

  return {
    attempt(address, person) {
      const own = bucketsOf(address, person)
      const waitMs = Math.max(...own.map((bucket) => bucket.waitMs(1)))
      if (waitMs === 0) for (const bucket of own) bucket.take(1)
      return Math.ceil(waitMs / 1000)
    },
    succeeded(address, person) {
      for (const bucket of bucketsOf(address, person)) bucket.put(1)
    },
  }
}
