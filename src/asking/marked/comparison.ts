/** One value as it was sent and as it arrived. */
export interface Comparison {
  /** What was looked at, by the name of its field. */
  readonly what: string
  readonly expected: unknown
  readonly actual: unknown
}
