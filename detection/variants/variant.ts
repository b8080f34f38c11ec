import type { Wrap } from '../../reference-server/gateway/seams.ts'

/** A gateway that behaves unusually and keeps the contract. No check may fail on it. */
export interface Variant {
  /** What a client sees and why it is legal, in one sentence. */
  readonly about: string
  /** Met at a public gateway, or a way to speak that any model may have: examined by itself in every run. */
  readonly reported?: true
  /** Two variants of one group change the same thing and are never combined. */
  readonly group?: string | readonly string[]
  /** Wraps around all others of a combination, because it shows what they count. */
  readonly isOutermost?: true
  readonly wrap: () => Wrap
}
