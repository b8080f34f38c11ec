import type { Clock } from '../clock.ts'
import type { KeyRecord } from '../store/store.ts'
import { type TokenBucket, tokenBucket } from './token-bucket.ts'

export type LimitUnit = 'requests' | 'tokens'

/** How much of one limit is left. */
export interface LimitState {
  readonly unit: LimitUnit
  readonly perMinute: number
  readonly remaining: number
  /** Milliseconds until all of it is available again. */
  readonly resetMs: number
}

/** What a request has taken: one request, and the most tokens that it may use. */
export interface Reservation {
  readonly key: KeyRecord
  readonly tokens: number
}

/** A reservation, or why the request must wait. Either way, the key's limits as they are now. */
export interface Reserved {
  readonly state: readonly LimitState[]
  readonly reservation?: Reservation
  readonly refusal?: { readonly unit: LimitUnit; readonly perMinute: number; readonly waitMs: number }
}

/** The limits of every key, separate for each key (C2.6). Reserve, then either commit or give back, once. */
export interface Limits {
  /** Takes one request and the tokens (at most a minute's worth), or nothing at all. */
  reserve(key: KeyRecord, tokens: number): Reserved | Promise<Reserved>
  /** Takes what was really used instead of what was reserved. */
  commit(reservation: Reservation, tokensUsed: number): void
  /** The request was refused after all: undoes the reservation. */
  giveBack(reservation: Reservation): void
  /** Why the next request of the key is sure to be refused, without asking anybody; undefined says nothing. */
  refusalOf(key: KeyRecord): Reserved['refusal']
  /** The key's limits as far as they are known here, empty for a key without limits. */
  stateOf(key: KeyRecord): readonly LimitState[]
  /** Why requests of keys with limits cannot be served now, if so. */
  trouble(): string | undefined
  close(): Promise<void>
}

/** What is left of a key's limits, and the limits that this is a part of: a key whose limits change begins a new minute. */
interface Buckets {
  readonly requests: TokenBucket | undefined
  readonly tokens: TokenBucket | undefined
}

/** Keys without limits take no memory here, however many there are. */
const unlimited: Buckets = { requests: undefined, tokens: undefined }

/** Limits in the memory of one process. */
export function keyLimits(clock: Pick<Clock, 'nowMs'>): Limits {
  const byKey = new Map<string, Buckets>()
  /** Undefined when the key's limits have changed since. */
  const bucketsAt = ({ id, requestsPerMinute, tokensPerMinute }: KeyRecord): Buckets | undefined => {
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return unlimited
    const buckets = byKey.get(id)
    const isSame = buckets?.requests?.perMinute === requestsPerMinute && buckets?.tokens?.perMinute === tokensPerMinute
    return isSame ? buckets : undefined
  }
  const bucketsOf = (key: KeyRecord): Buckets => {
    const known = bucketsAt(key)
    if (known !== undefined) return known
    const { id, requestsPerMinute, tokensPerMinute } = key
    const buckets = { requests: bucket(requestsPerMinute, clock), tokens: bucket(tokensPerMinute, clock) }
    byKey.set(id, buckets)
    return buckets
  }
  return {
    reserve(key, wanted) {
      const buckets = bucketsOf(key)
      const { requests, tokens } = buckets
      const count = Math.min(wanted, tokens?.perMinute ?? wanted)
      const refusal = refused('requests', requests, 1) ?? refused('tokens', tokens, count)
      if (refusal !== undefined) return { state: statesOf(buckets), refusal }
      requests?.take(1)
      tokens?.take(count)
      return { state: statesOf(buckets), reservation: { key, tokens: count } }
    },
    commit({ key, tokens }, tokensUsed) {
      const bucket = bucketsAt(key)?.tokens
      if (tokensUsed < tokens) bucket?.put(tokens - tokensUsed)
      else bucket?.take(tokensUsed - tokens)
    },
    giveBack({ key, tokens }) {
      const buckets = bucketsAt(key)
      buckets?.requests?.put(1)
      buckets?.tokens?.put(tokens)
    },
    // How many tokens a request may use, and so how long it would have to wait for them, is in its body.
    refusalOf: (key) => refused('requests', bucketsOf(key).requests, 1),
    stateOf: (key) => statesOf(bucketsOf(key)),
    trouble: () => undefined,
    close: async () => {},
  }
}

function bucket(perMinute: number | undefined, clock: Pick<Clock, 'nowMs'>): TokenBucket | undefined {
  return perMinute === undefined ? undefined : tokenBucket(perMinute, clock)
}

function refused(unit: LimitUnit, bucket: TokenBucket | undefined, count: number): Reserved['refusal'] {
  const waitMs = bucket?.waitMs(count) ?? 0
  return bucket === undefined || waitMs === 0 ? undefined : { unit, perMinute: bucket.perMinute, waitMs }
}

function statesOf({ requests, tokens }: Buckets): readonly LimitState[] {
  return [...stateOf('requests', requests), ...stateOf('tokens', tokens)]
}

function stateOf(unit: LimitUnit, bucket: TokenBucket | undefined): readonly LimitState[] {
  if (bucket === undefined) return []
  const { perMinute } = bucket
  return [{ unit, perMinute, remaining: bucket.remaining(), resetMs: bucket.waitMs(perMinute) }]
}
