import type { Clock } from '../clock.ts'
import { type TokenBucket, tokenBucket } from './token-bucket.ts'

const SOURCES_MAX = 10_000

/** A bucket for each source of something. It is made at its first use; the one that was not used for longest is the first to go. */
export type SourceBuckets = (source: string, perMinute: number) => TokenBucket

export function sourceBuckets(clock: Pick<Clock, 'nowMs'>): SourceBuckets {
  const buckets = new Map<string, TokenBucket>()
  return (source, perMinute) => {
    const bucket = buckets.get(source) ?? tokenBucket(perMinute, clock)
    buckets.delete(source)
    buckets.set(source, bucket)
    const [oldest] = buckets.keys()
    if (buckets.size > SOURCES_MAX && oldest !== undefined) buckets.delete(oldest)
    return bucket
  }
}
