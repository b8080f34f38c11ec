import type { Outcome, Outcomes } from './outcome.ts'
import type { SerializedHistograms } from './request-latencies.ts'
import type { RequestSample } from './request-samples.ts'
import type { SecondRow } from './seconds.ts'

/** What one shard measured of complete replies. */
export interface ReplyFigures {
  /** Of requests that were due in the steady window, and of the rest. */
  readonly steady: SerializedHistograms
  readonly rest: SerializedHistograms
  readonly samples: readonly RequestSample[]
  /** Complete requests that met every objective. */
  readonly good: number
  readonly events: number
  readonly tokens: number
  readonly promptTokens: number
  /** Complete replies that counted their own tokens. */
  readonly counted: number
  /** Complete streams without any content. */
  readonly empty: number
}

/** Everything that one shard counted. Plain data: it crosses threads and machines, and merges by addition. */
export interface TallyResult extends ReplyFigures {
  readonly outcomes: Outcomes
  readonly seconds: readonly SecondRow[]
  /** The first few reasons of each outcome that is not ok. */
  readonly reasons: Readonly<Partial<Record<Outcome, readonly string[]>>>
  readonly reads: number
  readonly firstSendMs: number
  /** When the first and the last request with each outcome were sent. */
  readonly sends: Readonly<Partial<Record<Outcome, readonly [firstMs: number, lastMs: number]>>>
  readonly lastEndMs: number
}
