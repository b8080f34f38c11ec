import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Seeded chance: the same seed gives the same draws. */
export interface Chance {
  /** From 0 up to but not 1. */
  unit(): number
  /** An exponential draw of mean 1: the gap between independent arrivals. */
  exponential(): number
  /** A gamma draw of mean 1: bursts below shape 1, more and more even above it. */
  gamma(shape: number): number
}

export function createChance(seed: number): Chance {
  const generator = xoroshiro128plus(spread(seed))
  const unit = (): number => uniformFloat64(generator)

  function normal(): number {
    return Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit())
  }

  /** Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for shapes of at least 1. */
  function gammaFrom1(shape: number): number {
    const d = shape - 1 / 3
    const c = 1 / Math.sqrt(9 * d)
    for (;;) {
      const x = normal()
      const v = (1 + c * x) ** 3
      if (v > 0 && Math.log(1 - unit()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
    }
  }

  return {
    unit,
    exponential: () => -Math.log(1 - unit()),
    gamma: (shape) => (shape >= 1 ? gammaFrom1(shape) : gammaFrom1(shape + 1) * (1 - unit()) ** (1 / shape)) / shape,
  }
}

/**
 * Spreads small seeds over all bits: people choose 1, 2 and 3, whose first draws would otherwise be alike. The finalizer of
 * "triple32" by C. Wellons, shortened to two rounds.
 */
function spread(seed: number): number {
  let mixed = (seed + 0x9e3779b9) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return mixed ^ (mixed >>> 15)
}
