import { prng } from '../network/prng.ts'

/** Choices from a seed. */
export interface Draw {
  /** A whole number, both ends included. */
  between(least: number, most: number): number
  /** True in one of `count` cases. */
  isOneOf(count: number): boolean
  pick<T>(values: readonly T[]): T
  /** A time from 0 to `most` ms in eighths of a millisecond, which sums keep exact; the short ones are the more likely. */
  delayMs(most: number): number
}

export function drawFrom(seed: number): Draw {
  // Neighbouring seeds begin far apart.
  const { below } = prng(Math.imul(seed, 0x9e3779b1))
  const between = (least: number, most: number): number => least + below(most - least + 1)
  return {
    between,
    isOneOf: (count) => below(count) === 0,
    pick(values) {
      const picked = values[below(values.length)]
      if (picked === undefined) throw new RangeError('there is nothing to pick from')
      return picked
    },
    delayMs: (most) => below(1 + below(most * 8 + 1)) / 8,
  }
}
