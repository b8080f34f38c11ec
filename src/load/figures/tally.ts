import type { Progress } from '../engine/engine.ts'
import type { Flight } from '../meter/flight.ts'
import type { GapLog } from '../meter/gap-log.ts'
import { createChance } from '../schedule/chance.ts'
import { holds, type Objective, shareBeyond } from '../schedule/objective.ts'
import { createHistogram, type LatencyHistogram } from './histogram.ts'
import { type Metric, type MetricName, metricNames, metrics, tokensOf, type View } from './metrics.ts'
import { type Outcome, type Outcomes, outcomes } from './outcome.ts'
import { keepTime, type SecondRow, Seconds } from './seconds.ts'

/** Histograms of one part of a run, by `metric` where both views are the same, else by `metric.view`. */
export type SerializedHistograms = Readonly<Record<string, string>>

/** What one complete request took, for statistics that need requests and not percentiles. */
export interface RequestSample {
  /** Of the intended start, in milliseconds from the start of the run. */
  readonly atMs: number
  readonly values: Readonly<Partial<Record<MetricName, number>>>
}

/** Everything that one shard counted. Plain data: it crosses threads and machines, and merges by addition. */
export interface TallyResult {
  readonly outcomes: Outcomes
  /** Of what started in the steady window, and of the rest. */
  readonly steady: SerializedHistograms
  readonly rest: SerializedHistograms
  readonly seconds: readonly SecondRow[]
  readonly samples: readonly RequestSample[]
  /** The first reasons of each outcome that is not ok. */
  readonly reasons: Readonly<Partial<Record<Outcome, readonly string[]>>>
  /** Complete requests that met every objective. */
  readonly good: number
  readonly reads: number
  readonly events: number
  readonly tokens: number
  readonly promptTokens: number
  /** Complete replies whose tokens the reply itself counted. */
  readonly counted: number
  /** Complete streams without any content. */
  readonly empty: number
  readonly firstSendMs: number
  /** When the first request that ended so was sent, and the last. */
  readonly sends: Readonly<Partial<Record<Outcome, readonly [firstMs: number, lastMs: number]>>>
  readonly lastEndMs: number
}

export interface TallyOptions {
  readonly startAtMs: number
  readonly steadyFromMs: number
  readonly steadyToMs: number
  readonly objectives: readonly Objective[]
  readonly seed: number
}

const samplesMax = 5000
const reasonsMax = 3

/** Only complete replies that keep the contract enter the latencies; all others are counted by how they ended. */
export class Tally {
  private readonly seconds = new Seconds()
  inFlight = 0
  private readonly counts: Record<Outcome, number>
  private readonly options: TallyOptions
  private readonly steady = new Map<string, LatencyHistogram>()
  private readonly rest = new Map<string, LatencyHistogram>()
  private readonly samples: RequestSample[] = []
  private readonly sends: Partial<Record<Outcome, readonly [number, number]>> = {}
  private readonly reasons: Partial<Record<Outcome, string[]>> = {}
  private readonly chance
  private reads = 0
  private good = 0
  private events = 0
  private tokens = 0
  private promptTokens = 0
  private counted = 0
  private empty = 0
  private firstSendMs = Number.POSITIVE_INFINITY
  private lastEndMs = 0

  constructor(options: TallyOptions) {
    this.options = options
    this.chance = createChance(options.seed)
    this.counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  }

  sent(atMs: number): void {
    this.inFlight += 1
    this.seconds.at(atMs - this.options.startAtMs).sent += 1
  }

  /** One read, and how many events it completed. */
  read(events: number, atMs: number): void {
    this.reads += 1
    if (events > 0) this.seconds.at(atMs - this.options.startAtMs).events += events
  }

  landed(flight: Flight, gaps: GapLog): void {
    const { startAtMs } = this.options
    const outcome = flight.outcome ?? 'ok'
    const row = this.seconds.at(flight.endedAtMs - startAtMs)
    this.inFlight -= 1
    this.counts[outcome] += 1
    if (!Number.isNaN(flight.sentAtMs)) this.firstSendMs = Math.min(this.firstSendMs, flight.sentAtMs - startAtMs)
    this.keepSend(outcome, flight.sentAtMs - startAtMs)
    this.lastEndMs = Math.max(this.lastEndMs, flight.endedAtMs - startAtMs)
    if (outcome !== 'ok') {
      row.bad += 1
      this.keepReason(outcome, flight.reason)
      return
    }
    row.ok += 1
    this.measure(flight, gaps)
  }

  progress(): Omit<Progress, 'lag'> {
    const landed = outcomes.reduce((sum, outcome) => sum + this.counts[outcome], 0)
    const { ok } = this.counts
    return {
      sent: landed + this.inFlight,
      inFlight: this.inFlight,
      ok,
      bad: landed - ok,
      ttftP95: this.steady.get('ttft.response')?.percentile(95) ?? Number.NaN,
      gapP99: this.steady.get('gap')?.percentile(99) ?? Number.NaN,
    }
  }

  result(): TallyResult {
    const sent = outcomes.reduce((sum, outcome) => sum + this.counts[outcome], 0)
    const result = {
      outcomes: { sent, ...this.counts },
      steady: serialize(this.steady),
      rest: serialize(this.rest),
      seconds: this.seconds.rows(),
      samples: this.samples,
      reasons: this.reasons,
      good: this.good,
      reads: this.reads,
      events: this.events,
      tokens: this.tokens,
      promptTokens: this.promptTokens,
      counted: this.counted,
      empty: this.empty,
      sends: this.sends,
      firstSendMs: Number.isFinite(this.firstSendMs) ? this.firstSendMs : 0,
      lastEndMs: this.lastEndMs,
    }
    for (const histogram of [...this.steady.values(), ...this.rest.values()]) histogram.free()
    return result
  }

  private measure(flight: Flight, gaps: GapLog): void {
    const { startAtMs, steadyFromMs, steadyToMs, objectives } = this.options
    const atMs = flight.intendedAtMs - startAtMs
    const isSteady = atMs >= steadyFromMs && atMs <= steadyToMs
    const set = isSteady ? this.steady : this.rest
    const values: Partial<Record<MetricName, number>> = {}
    for (const name of metricNames) {
      if (name === 'gap') continue
      const { of, fromStart }: Required<Metric> = metrics[name]
      const response = of(flight, flight.intendedAtMs, gaps.largestMs)
      if (Number.isNaN(response) || !Number.isFinite(response)) continue
      values[name] = response
      if (!fromStart) record(set, name, response)
      else {
        record(set, `${name}.response`, response)
        record(set, `${name}.service`, of(flight, flight.sentAtMs, gaps.largestMs))
      }
    }
    gaps.forEach((gapMs, count) => {
      record(set, 'gap', gapMs, count)
    })
    const row = this.seconds.at(flight.endedAtMs - startAtMs)
    if (values.ttft !== undefined) keepTime(row, values.ttft)
    row.stallMax = Math.max(row.stallMax, gaps.largestMs)
    if (objectives.every((objective) => isMet(objective, flight, gaps))) this.good += 1
    this.tokens += tokensOf(flight)
    this.promptTokens += Number.isNaN(flight.promptTokens) ? 0 : flight.promptTokens
    this.events += flight.events
    if (!Number.isNaN(flight.completionTokens)) this.counted += 1
    if (flight.events > 0 && flight.contentEvents === 0) this.empty += 1
    if (isSteady) this.keepSample({ atMs, values })
  }

  /** A reservoir: each steady request is as likely to be kept as every other. */
  private keepSample(sample: RequestSample): void {
    const seen = this.counts.ok
    if (this.samples.length < samplesMax) this.samples.push(sample)
    else {
      const place = Math.floor(this.chance.unit() * seen)
      if (place < samplesMax) this.samples[place] = sample
    }
  }

  private keepSend(outcome: Outcome, atMs: number): void {
    if (Number.isNaN(atMs)) return
    const [first, last] = this.sends[outcome] ?? [atMs, atMs]
    this.sends[outcome] = [Math.min(first, atMs), Math.max(last, atMs)]
  }

  private keepReason(outcome: Outcome, reason: string): void {
    const known = this.reasons[outcome] ?? []
    this.reasons[outcome] = known
    if (reason !== '' && known.length < reasonsMax && !known.includes(reason)) known.push(reason)
  }
}

function record(set: Map<string, LatencyHistogram>, name: string, ms: number, count = 1): void {
  let histogram = set.get(name)
  if (histogram === undefined) {
    histogram = createHistogram()
    set.set(name, histogram)
  }
  histogram.record(ms, count)
}

function serialize(set: ReadonlyMap<string, LatencyHistogram>): SerializedHistograms {
  return Object.fromEntries([...set].map(([name, histogram]) => [name, histogram.serialize()]))
}

/** The key under which the histogram of a metric is kept. */
export function histogramKey(metric: MetricName, view: View): string {
  return metrics[metric].fromStart ? `${metric}.${view}` : metric
}

/** Whether one request meets an objective; a metric that it lacks is not met. Figures of the run say nothing of one. */
function isMet(objective: Objective, flight: Flight, gaps: GapLog): boolean {
  const { subject } = objective
  if (subject.kind === 'figure') return true
  if (subject.metric === 'gap') {
    let beyond = 0
    gaps.forEach((gapMs, count) => {
      if (!holds(objective, gapMs)) beyond += count
    })
    return beyond <= shareBeyond(subject.stat) * gaps.count
  }
  const startAtMs = subject.view === 'response' ? flight.intendedAtMs : flight.sentAtMs
  const { of }: Required<Metric> = metrics[subject.metric]
  const value = of(flight, startAtMs, gaps.largestMs)
  return !Number.isNaN(value) && holds(objective, value)
}
