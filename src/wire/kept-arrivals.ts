import { createHash, type Hash } from 'node:crypto'
import { type EndsMax, keepEnds } from './ends.ts'
import type { Arrival, Exchange } from './transcript.ts'

/** The arrivals of one body, all of them or its two ends. */
export interface KeptArrivals {
  add(arrival: Arrival): void
  /** Bytes so far. */
  length(): number
  /** What they weigh: a million arrivals of one byte each are no small body. */
  weight(): number
  all(): Pick<Exchange, 'arrivals' | 'omitted'>
}

/** About what an arrival takes beside its bytes. */
const arrivalWeight = 256

function weightOf({ bytes }: Arrival): number {
  return bytes.length + arrivalWeight
}

/** What falls between the ends is counted and hashed. */
export function keepArrivals(most: EndsMax): KeptArrivals {
  let hash: Hash | undefined
  let omittedBytes = 0
  let length = 0
  let weight = 0
  const ends = keepEnds(most, weightOf, ({ bytes }) => {
    hash ??= hashOf(ends.first())
    hash.update(bytes)
    omittedBytes += bytes.length
  })
  return {
    add(arrival) {
      length += arrival.bytes.length
      weight += weightOf(arrival)
      ends.push(arrival)
    },
    length: () => length,
    weight: () => weight,
    all() {
      const arrivals = [...ends.first(), ...ends.last()]
      if (hash === undefined) return { arrivals }
      const all = hash.copy()
      for (const { bytes } of ends.last()) all.update(bytes)
      const after = ends.first().reduce((sum, { bytes }) => sum + bytes.length, 0)
      return { arrivals, omitted: { after, bytes: omittedBytes, sha256: all.digest('hex') } }
    },
  }
}

function hashOf(arrivals: readonly Arrival[]): Hash {
  const hash = createHash('sha256')
  for (const { bytes } of arrivals) hash.update(bytes)
  return hash
}
