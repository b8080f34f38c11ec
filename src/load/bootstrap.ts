import { createChance } from './schedule/chance.ts'

/** An interval that holds a statistic with 95 % confidence. */
export interface Interval {
  readonly low: number
  readonly high: number
}

const resamples = 400

/**
 * The percentile bootstrap (Efron 1979): the statistic of samples drawn with replacement, and what lies between the
 * 2.5th and the 97.5th percentile of it. Undefined for fewer than two values, which tell nothing of their spread.
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

/** The value at a share of sorted values; NaN without any. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((one, other) => one - other),
    0.5,
  )
}
