/** Round numbers that cover a range, about so many: 1, 2 or 5 times a power of ten apart. */
export function ticksOver(from: number, to: number, about: number): readonly number[] {
  const step = stepFor((to - from) / about)
  const first = Math.floor(from / step + 1e-9)
  const last = Math.max(first + 1, Math.ceil(to / step - 1e-9))
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
}

/** The least of 1, 2 and 5 times a power of ten that is no less. */
export function stepFor(least: number): number {
  if (!(least > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 5].find((times) => times * power >= least * (1 - 1e-9)) ?? 10) * power
}

/** A number in three digits, without an exponent, its thousands apart. */
export function brief(value: number): string {
  const rounded = Number(value.toPrecision(3))
  return Math.abs(rounded) >= 1 ? rounded.toLocaleString('en-US') : String(rounded)
}
