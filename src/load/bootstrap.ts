import { createChance } from './schedule/chance.ts'

/** An interval that contains a statistic with 95 % confidence. */
export interface Interval {
  readonly low: number
  readonly high: number
}

const resamples = 400

/**
 * The percentile bootstrap (Efron 1979): the statistic is taken of samples drawn with replacement, and the interval
 * reaches from its 2.5th to its 97.5th percentile. Undefined for fewer than two values, which have no spread.
 */
export function bootstrap(
  values: readonly number[],
  statistic: (sorted: Float64Array) => number,
  seed: number,
): Interval | undefined {
  if (values.length < 2) return undefined
  const chance = createChance(seed)
  const drawn = new Float64Array(values.length)
  const found = Float64Array.from({ length: resamples }, () => {
    for (let at = 0; at < drawn.length; at += 1) drawn[at] = values[Math.floor(chance.unit() * values.length)] ?? 0
    return statistic(drawn.sort())
  }).sort()
  return { low: quantile(found, 0.025), high: quantile(found, 0.975) }
}

/** The value at this share of sorted values; NaN if there are none. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((one, other) => one - other),
    0.5,
  )
}
