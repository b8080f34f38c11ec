import type { Clock } from '../clock.ts'
import type { KeyRecord } from './keyring.ts'
import { type TokenBucket, tokenBucket } from './token-bucket.ts'

/** Why a request must wait. */
export interface Refusal {
  readonly unit: 'requests' | 'tokens'
  readonly perMinute: number
  readonly remaining: number
  readonly waitMs: number
}

/** The limits of every key, each key its own (C2.6). */
export interface Limits {
  /** Takes one request and its prompt tokens, or nothing at all. */
  take(key: KeyRecord, promptTokens: number): Refusal | undefined
  /** Takes the completion tokens of a request that was let through, known only at its end. */
  settle(key: KeyRecord, completionTokens: number): void
}

interface Buckets {
  readonly requests: TokenBucket | undefined
  readonly tokens: TokenBucket | undefined
}

export function keyLimits(clock: Clock): Limits {
  const byKey = new Map<string, Buckets>()
  const bucketsOf = ({ id, requestsPerMinute, tokensPerMinute }: KeyRecord): Buckets => {
    let buckets = byKey.get(id)
    if (buckets === undefined) {
      buckets = { requests: bucket(requestsPerMinute, clock), tokens: bucket(tokensPerMinute, clock) }
      byKey.set(id, buckets)
    }
    return buckets
  }
  return {
    take(key, promptTokens) {
      const { requests, tokens } = bucketsOf(key)
      const refusal = refused('requests', requests, 1) ?? refused('tokens', tokens, promptTokens)
      if (refusal !== undefined) return refusal
      requests?.take(1)
      tokens?.take(promptTokens)
      return undefined
    },
    settle(key, completionTokens) {
      bucketsOf(key).tokens?.take(completionTokens)
    },
  }
}

function bucket(perMinute: number | undefined, clock: Clock): TokenBucket | undefined {
  return perMinute === undefined ? undefined : tokenBucket(perMinute, clock)
}

function refused(unit: Refusal['unit'], bucket: TokenBucket | undefined, count: number): Refusal | undefined {
  const waitMs = bucket?.waitMs(count) ?? 0
  if (bucket === undefined || waitMs === 0) return undefined
  return { unit, perMinute: bucket.perMinute, remaining: bucket.remaining(), waitMs }
}
