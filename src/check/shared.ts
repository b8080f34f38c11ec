import type { Prepared } from '../target/prepare.ts'
import type { Steadiness } from '../target/settle.ts'
import type { Target } from '../target/target.ts'
import type { converse } from '../wire/raw-client.ts'
import type { Redactor } from '../wire/redact.ts'
import type { Exchange } from '../wire/transcript.ts'
import type { CheckContext } from './context.ts'
import type { Journal } from './kept/journal.ts'
import type { Samples } from './kept/samples.ts'
import type { Randomness } from './values/property.ts'

/** What all checks of a run share. */
export interface Shared {
  readonly target: Target
  readonly prepared: Prepared
  readonly redactor: Redactor
  readonly journal: Journal
  readonly samples: Samples
  /** What was made once a run, by its key. */
  readonly once: Map<string, Promise<unknown>>
  /** The run's own session, for requests that belong to no single check. */
  readonly sampler: () => CheckContext
  readonly steadiness: Steadiness
  /**
   * Answers for whose missing end the target is to blame: silences that came again with nothing else in flight, or that a check
   * gave a patience of its own, and replies far beyond their `max_tokens`.
   */
  readonly confirmedIncomplete: WeakSet<Exchange>
  readonly randomness: Randomness
  /** Whether every exchange is kept, or only those of failures. */
  readonly keepAll: boolean
  /** A word that was never used before. */
  readonly nonce: () => string
  readonly converse: typeof converse
}
