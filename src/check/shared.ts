import type { Prepared } from '../target/prepare.ts'
import type { Steadiness } from '../target/settle.ts'
import type { Target } from '../target/target.ts'
import type { converse } from '../wire/raw-client.ts'
import type { Redactor } from '../wire/redact.ts'
import type { CheckContext } from './context.ts'
import type { Randomness } from './property.ts'
import type { Journal, Samples } from './samples.ts'

/** What all checks of a run share. */
export interface Shared {
  readonly target: Target
  readonly prepared: Prepared
  readonly redactor: Redactor
  readonly journal: Journal
  readonly samples: Samples
  /** What was made once, by its key. */
  readonly once: Map<string, Promise<unknown>>
  /** A session of the run's own, for what no single check asks. */
  readonly sampler: () => CheckContext
  readonly steadiness: Steadiness
  readonly randomness: Randomness
  /** A word that was never used before. */
  readonly nonce: () => string
  readonly converse: typeof converse
}
