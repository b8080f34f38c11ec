/** One figure of a row: the middle of its rounds, and their range. */
export interface Figure {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function figureOf(values: readonly number[]): Figure {
  const sorted = values.toSorted((one, other) => one - other)
  return { median: quantile(sorted, 0.5), least: quantile(sorted, 0), most: quantile(sorted, 1) }
}

/** The value that this share of the others does not exceed, of values in rising order. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
