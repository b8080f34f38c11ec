/** Chance as an argument: the same seed gives the same sequence. */
export interface Prng {
  /** A whole number from 0 up to but not including `below`. */
  below(limit: number): number
}

/** Mulberry32: small, fast and uniform enough to choose words. */
export function prng(seed: number): Prng {
  let state = seed >>> 0
  return {
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
    },
  }
}
