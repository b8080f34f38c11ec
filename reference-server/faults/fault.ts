import type { Wrap } from '../gateway/seams.ts'

/** A gateway that is wrong in exactly one way. It wraps seams, so the honest code holds no `if` for it. */
export interface Fault {
  /** What a client sees, in one sentence. */
  readonly about: string
  /** Ids of the checks that must notice, the root check first. */
  readonly breaks: readonly string[]
  /** Checks that may notice as well: by chance, or because of what the others then do. */
  readonly follows?: readonly string[]
  /** Made anew for every gateway, so that state in its closures belongs to one gateway. */
  readonly wrap: () => Wrap
}

/** A gateway that behaves unusually and keeps the contract. No check may fail on it. */
export interface Variant {
  /** What a client sees and why it is legal, in one sentence. */
  readonly about: string
  /** Two variants of one group change the same thing and are never combined. */
  readonly group?: string | readonly string[]
  readonly wrap: () => Wrap
}
