import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { DialectName } from '../../reference-server/node-server/dialect/dialects.ts'

/** A model that the list need not name, or another main key. */
export interface Given {
  readonly model?: string
  readonly key?: string
}

/** A gateway that behaves unusually but keeps the contract. No check may fail on it. */
export interface Variant {
  /** What is unusual and why it is legal, in one sentence. */
  readonly about: string
  /** Seen at a public gateway, or a way in which any model may speak: examined by itself in every run. */
  readonly reported?: true
  /** Variants of one group change the same thing and are never combined. */
  readonly group?: string | readonly string[]
  /** By itself it is examined with the checks that wait for long: one of them looks at what it does. */
  readonly long?: true
  /** Wraps around all others of a combination, because it shows what they count. */
  readonly isOutermost?: true
  /** The tokens of its window, which no price tells: what its users pass as `--context-window`. */
  readonly contextWindow?: number
  readonly wrap: () => Wrap
  /** The engine whose shapes the nodes behind the gateway take. */
  readonly nodeDialect?: DialectName
  /** What the user of such a gateway passes. */
  readonly given?: Given
}
