/** `1 check`, `2 checks`: a number with its noun. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** `1,234 checks`: the same with thousands apart, where numbers grow large. */
export function spacedCountOf(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
}
