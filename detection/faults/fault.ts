import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { CheckId } from '../../src/check/check-ids.ts'

/** A gateway that is wrong in exactly one way. It wraps seams, so the honest code needs no `if` for it. */
export interface Fault {
  /** What the gateway does wrong, in one sentence. */
  readonly about: string
  /** The checks that must notice, the root check first. */
  readonly breaks: readonly CheckId[]
  /** Whether one of `breaks` is enough, as for the cells of the relay table; otherwise all of them must notice. */
  readonly enough?: 'one'
  /** Checks that may notice too: by chance, or because of what the other checks then do. */
  readonly follows?: readonly CheckId[]
  /** Made anew for every gateway, so that state in its closures belongs to that gateway. */
  readonly wrap: () => Wrap
}
