/** `1 check`, `2 checks`: a number with its noun. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
