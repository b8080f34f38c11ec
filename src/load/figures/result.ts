import type { ShardsResult } from '../engine/shards.ts'
import { holds, type Objective } from '../schedule/objective.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { createHistogram, type Stats, statsOf } from './histogram.ts'
import { type MetricName, metricNames, metrics, type View } from './metrics.ts'
import { type Outcome, type Outcomes, outcomes, sumOutcomes } from './outcome.ts'
import { histogramKey, type SerializedHistograms } from './request-latencies.ts'
import type { RequestSample } from './request-samples.ts'
import { mergeSeconds, type SecondRow } from './seconds.ts'
import { type Validity, validityOf } from './validity.ts'

/** Statistics of every metric, from the send and from the intended start, in milliseconds. */
type MetricTable = Readonly<Record<MetricName, Readonly<Record<View, Stats>>>>

interface Throughput {
  /** Complete replies, and their events and tokens, per second. */
  readonly requestsPerS: number
  readonly eventsPerS: number
  readonly tokensPerS: number
  /** `usage` when replies count their tokens, `events` when content events are counted instead. */
  readonly tokenSource: 'usage' | 'events' | 'mixed'
}

interface SloResult {
  readonly expression: string
  /** Null if there was nothing to measure, which does not pass. */
  readonly value: number | null
  readonly pass: boolean
  /** There were too few requests for this percentile to mean much. */
  readonly unreliable?: true
}

/** The result of one load, merged from all of its shards. */
export interface LoadResult {
  readonly outcomes: Outcomes
  readonly reasons: Readonly<Partial<Record<Outcome, readonly string[]>>>
  readonly throughput: Throughput
  /** Complete replies that met every objective: per second, and as a share of what was sent. */
  readonly goodput: { readonly requestsPerS: number; readonly share: number }
  /** Of the steady window: requests that started after the warm-up. */
  readonly metrics: MetricTable
  /** Of the whole run, warm-up included. */
  readonly wholeRun: MetricTable
  readonly validity: Validity
  readonly slo: readonly SloResult[]
  readonly seconds: readonly SecondRow[]
  readonly samples: readonly RequestSample[]
  /** Merged histograms of the steady window, HDR V2, for other tools and for merging runs. */
  readonly histograms: SerializedHistograms
  readonly tokens: { readonly prompt: number; readonly completion: number }
  readonly durationMs: number
  /** The client's error against stamped texts. */
  readonly stampLag?: Stats
  readonly stampGapError?: Stats
}

export function mergeResults(plan: LoadPlan, { results, lost }: ShardsResult): LoadResult {
  const sent = sumOutcomes(results.map((result) => result.outcomes))
  const add = (pick: (result: (typeof results)[number]) => number): number =>
    results.reduce((sum, result) => sum + pick(result), 0)
  const spanMs =
    Math.max(0, ...results.map(({ lastEndMs }) => lastEndMs)) -
    Math.min(...results.map(({ firstSendMs }) => firstSendMs), Number.POSITIVE_INFINITY)
  const spanS = Number.isFinite(spanMs) && spanMs > 0 ? spanMs / 1000 : Number.NaN
  const counted = add((result) => result.counted)
  const throughput: Throughput = {
    requestsPerS: rate(sent.ok, spanS),
    eventsPerS: rate(
      add((result) => result.events),
      spanS,
    ),
    tokensPerS: rate(
      add((result) => result.tokens),
      spanS,
    ),
    tokenSource: counted === 0 ? 'events' : counted === sent.ok ? 'usage' : 'mixed',
  }
  const good = add((result) => result.good)
  const goodput = { requestsPerS: rate(good, spanS), share: sent.sent === 0 ? 0 : good / sent.sent }
  const steady = mergeSets(results.map((result) => result.steady))
  const measured = tableOf(steady)
  const figures = {
    errors: sent.sent === 0 ? null : (1 - (sent.ok + sent.abortedByUs) / sent.sent) * 100,
    goodput: sent.sent === 0 ? null : goodput.share * 100,
    requestsPerS: throughput.requestsPerS,
    eventsPerS: throughput.eventsPerS,
    tokensPerS: throughput.tokensPerS,
  }
  const stamps = results.flatMap(({ stampLag }) => stampLag ?? [])
  const gapErrors = results.flatMap(({ stampGapError }) => stampGapError ?? [])
  return {
    outcomes: sent,
    reasons: mergeReasons(results.map((result) => result.reasons)),
    throughput,
    goodput,
    metrics: measured,
    wholeRun: tableOf(mergeSets(results.flatMap(({ steady: inside, rest }) => [inside, rest]))),
    validity: validityOf(plan, results, lost, { ...sent, spanS, steady: measured.e2e.service.count }),
    slo: plan.objectives.map((objective) => judge(objective, measured, figures)),
    seconds: mergeSeconds(results.map(({ seconds }) => seconds)),
    samples: results.flatMap(({ samples }) => samples),
    histograms: steady,
    tokens: { prompt: add((result) => result.promptTokens), completion: add((result) => result.tokens) },
    durationMs: Math.round(Number.isFinite(spanMs) ? spanMs : 0),
    ...(stamps.length > 0 && { stampLag: statsOf(stamps) }),
    ...(gapErrors.length > 0 && { stampGapError: statsOf(gapErrors) }),
  }
}

/** The result of a load that was stopped before its time: what it measured may be read, and proves nothing. */
export function interruptedResult(result: LoadResult, { durationMs }: Pick<LoadPlan, 'durationMs'>): LoadResult {
  const { validity } = result
  const reason = `interrupted after ${(result.durationMs / 1000).toFixed(1)} s of ${durationMs / 1000} s`
  return { ...result, validity: { ...validity, verdict: 'interrupted', reasons: [reason, ...validity.reasons] } }
}

export function wasInterrupted({ validity }: Pick<LoadResult, 'validity'>): boolean {
  return validity.verdict === 'interrupted'
}

function judge(objective: Objective, table: MetricTable, figures: Readonly<Record<string, number | null>>): SloResult {
  const { subject, expression } = objective
  if (subject.kind === 'figure') {
    const value = figures[subject.figure] ?? null
    return { expression, value, pass: value !== null && holds(objective, value) }
  }
  const stats = table[subject.metric][subject.view]
  const value = stats.count === 0 ? null : stats[subject.stat]
  const isUnreliable = stats.unreliable.some((name) => name === subject.stat)
  return {
    expression,
    value,
    pass: value !== null && holds(objective, value),
    ...(isUnreliable && { unreliable: true }),
  }
}

function mergeSets(sets: readonly SerializedHistograms[]): SerializedHistograms {
  const keys = new Set(sets.flatMap((set) => Object.keys(set)))
  return Object.fromEntries([...keys].map((key) => [key, merge(sets.flatMap((set) => set[key] ?? []))]))
}

function merge(parts: readonly string[]): string {
  const histogram = createHistogram()
  for (const part of parts) histogram.add(part)
  const merged = histogram.serialize()
  histogram.free()
  return merged
}

function tableOf(set: SerializedHistograms): MetricTable {
  return Object.fromEntries(
    metricNames.map((metric) => {
      const view = (one: View): Stats => statsOf([set[histogramKey(metric, one)] ?? []].flat())
      const service = view('service')
      return [metric, { service, response: metrics[metric].fromStart ? view('response') : service }]
    }),
  ) as MetricTable
}

function mergeReasons(parts: readonly LoadResult['reasons'][]): LoadResult['reasons'] {
  return Object.fromEntries(
    outcomes
      .map((outcome) => [outcome, [...new Set(parts.flatMap((part) => part[outcome] ?? []))].slice(0, 3)] as const)
      .filter(([, reasons]) => reasons.length > 0),
  )
}

function rate(count: number, seconds: number): number {
  return Number.isNaN(seconds) ? 0 : count / seconds
}
