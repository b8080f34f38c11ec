/** C8: the ranges and windows that the contract fixes. */
export interface Range {
  readonly min: number
  readonly max: number
}

export const temperatureRange: Range = { min: 0, max: 2 }
export const topPRange: Range = { min: 0, max: 1 }

/** A value this close to a bound is a matter of rounding: the answer to it is observed, not judged. */
export const boundTolerance = 1e-6

/** Tokens in the context window of the models at the contract's prices, USD per million tokens (C2.5). */
const windowByPrice: ReadonlyMap<number, number> = new Map([
  [0.1, 128_000],
  [0.5, 128_000],
  [0.6, 64_000],
])

/** The window that the contract gives a model at this price; undefined at a price that the contract does not list. */
export function contextWindowAtPrice(usdPerMillion: number | undefined): number | undefined {
  return usdPerMillion === undefined ? undefined : windowByPrice.get(usdPerMillion)
}
