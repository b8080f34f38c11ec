import type { Flight } from '../meter/flight.ts'
import type { GapLog } from '../meter/gap-log.ts'
import type { Objective } from '../schedule/objective.ts'
import { meets } from './meets.ts'
import { tokensOf } from './metrics.ts'
import { RequestLatencies, type RequestValues } from './request-latencies.ts'
import { RequestSamples } from './request-samples.ts'
import type { ReplyFigures } from './tally-result.ts'

export interface CompleteRepliesOptions {
  /** Replies to requests that were due in this part of the run count for the steady figures. */
  readonly steadyFromMs: number
  readonly steadyToMs: number
  readonly objectives: readonly Objective[]
  readonly seed: number
}

/** Measurements of replies that are complete and keep the contract. */
export class CompleteReplies {
  private readonly options: CompleteRepliesOptions
  private readonly steady = new RequestLatencies()
  private readonly rest = new RequestLatencies()
  private readonly samples: RequestSamples
  private readonly sums = { ok: 0, good: 0, events: 0, tokens: 0, promptTokens: 0, counted: 0, empty: 0 }

  constructor(options: CompleteRepliesOptions) {
    this.options = options
    this.samples = new RequestSamples(options.seed)
  }

  /** Adds a reply to a request that was due this long after the start. */
  add(flight: Flight, gaps: GapLog, dueMs: number): RequestValues {
    const { steadyFromMs, steadyToMs, objectives } = this.options
    const { sums } = this
    const isSteady = dueMs >= steadyFromMs && dueMs <= steadyToMs
    const values = (isSteady ? this.steady : this.rest).add(flight, gaps)
    sums.ok += 1
    sums.events += flight.events
    sums.tokens += tokensOf(flight)
    if (!Number.isNaN(flight.promptTokens)) sums.promptTokens += flight.promptTokens
    if (!Number.isNaN(flight.completionTokens)) sums.counted += 1
    if (flight.events > 0 && flight.contentEvents === 0) sums.empty += 1
    if (objectives.every((objective) => meets(objective, flight, gaps))) sums.good += 1
    if (isSteady) this.samples.add({ atMs: dueMs, values }, sums.ok)
    return values
  }

  progress(): { readonly ttftP95: number; readonly gapP99: number } {
    return { ttftP95: this.steady.percentile('ttft.response', 95), gapP99: this.steady.percentile('gap', 99) }
  }

  /** Returns the figures and frees the histograms. */
  finish(): ReplyFigures {
    const { ok: _, ...sums } = this.sums
    return { ...sums, steady: this.steady.finish(), rest: this.rest.finish(), samples: this.samples.kept }
  }
}
