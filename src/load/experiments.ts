import { bootstrap, type Interval, median } from './bootstrap.ts'
import type { PercentileName } from './figures/histogram.ts'
import { type MetricName, metricNames } from './figures/metrics.ts'
import { type LoadResult, wasInterrupted } from './figures/result.ts'
import type { Arrivals } from './schedule/arrivals.ts'
import type { LoadPlan } from './schedule/plan.ts'

/** Carries out a plan: in this process, or on a fleet. Once it was interrupted, every experiment ends with what it has. */
export type Runner = (plan: LoadPlan) => Promise<LoadResult>

export interface Repeated {
  /** The run whose median time to first token is the median of all runs. */
  readonly result: LoadResult
  readonly runs: readonly LoadResult[]
  /** Of medians and 95th percentiles over the requests of all runs, in milliseconds. */
  readonly confidence: Readonly<Partial<Record<MetricName, { readonly p50: Interval; readonly p95: Interval }>>>
}

export async function repeatLoad(plan: LoadPlan, times: number, run: Runner): Promise<Repeated> {
  const runs: LoadResult[] = []
  for (let turn = 0; turn < times; turn += 1) {
    // Each turn has its own random draws, which the one seed decides.
    const own = { ...plan, seed: plan.seed + turn }
    const done = await run(own)
    runs.push(done)
    if (wasInterrupted(done)) return { result: done, runs, confidence: confidenceOf(runs, plan.seed) }
  }
  const ranked = runs.toSorted((one, other) => one.metrics.ttft.response.p50 - other.metrics.ttft.response.p50)
  const result = ranked[(ranked.length - 1) >> 1]
  if (result === undefined) throw new Error('no run')
  return { result, runs, confidence: confidenceOf(runs, plan.seed) }
}

function confidenceOf(runs: readonly LoadResult[], seed: number): Repeated['confidence'] {
  const samples = runs.flatMap((run) => run.samples)
  const kept = samples.filter((_, index) => index % Math.ceil(samples.length / 2000) === 0)
  const rows = metricNames.flatMap((metric) => {
    const values = kept.flatMap((sample) => sample.values[metric] ?? [])
    const at = (share: number) =>
      bootstrap(values, (sorted) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN, seed)
    const [p50, p95] = [at(0.5), at(0.95)]
    return p50 === undefined || p95 === undefined ? [] : [[metric, { p50, p95 }] as const]
  })
  return Object.fromEntries(rows)
}

/** The same plan at another load: the connections of a closed loop, or the rate of an open one. */
function withLoad(plan: LoadPlan, value: number): LoadPlan {
  return { ...plan, arrivals: arrivalsAt(plan, value) }
}

function arrivalsAt({ arrivals, durationMs }: LoadPlan, value: number): Arrivals {
  if (arrivals.kind === 'open') return { ...arrivals, stages: [{ durationMs, from: value, to: value }] }
  return { kind: 'closed', connections: Math.max(1, Math.round(value)) }
}

export interface SweepPoint {
  readonly value: number
  readonly result: LoadResult
}

export async function sweepLoad(
  plan: LoadPlan,
  values: readonly number[],
  run: Runner,
  onPoint: (point: SweepPoint) => void,
): Promise<readonly SweepPoint[]> {
  const points: SweepPoint[] = []
  for (const value of values) {
    const own = withLoad(plan, value)
    const point = { value, result: await run(own) }
    points.push(point)
    onPoint(point)
    if (wasInterrupted(point.result)) break
  }
  return points
}

export function meetsAll({ slo, validity }: LoadResult): boolean {
  return (validity.verdict === 'valid' || validity.verdict === 'suspect') && slo.every(({ pass }) => pass)
}

/** What a gateway adds to the server behind it, in milliseconds. */
export interface Added {
  readonly metric: MetricName
  readonly percentile: PercentileName
  readonly direct: number
  readonly through: number
  /** The median of the differences of the pairs. */
  readonly added: number
  readonly interval: Interval | null
}

export interface Pairs {
  readonly direct: LoadResult
  readonly through: LoadResult
  readonly pairs: number
  readonly added: readonly Added[]
}

const looked: readonly (readonly [MetricName, PercentileName])[] = [
  ['ttfb', 'p50'],
  ['ttft', 'p50'],
  ['ttft', 'p95'],
  ['gap', 'p50'],
  ['gap', 'p95'],
  ['tail', 'p50'],
  ['e2e', 'p50'],
]

/** Pairs of short runs, direct and through the gateway, in the order ABBA, so that drift affects both alike. */
export async function comparePairs(direct: LoadPlan, through: LoadPlan, pairs: number, run: Runner): Promise<Pairs> {
  const directRuns: LoadResult[] = []
  const throughRuns: LoadResult[] = []
  const blockMs = Math.max(1000, direct.durationMs / (2 * pairs))
  const order = Array.from({ length: pairs }, (_, pair) =>
    pair % 2 === 0 ? [direct, through] : [through, direct],
  ).flat()
  let cut: LoadResult | undefined
  for (const [turn, plan] of order.entries()) {
    const own = { ...shortened(plan, blockMs), seed: plan.seed + (turn >> 1) }
    const result = await run(own)
    if (wasInterrupted(result)) {
      cut = result
      break
    }
    if (plan === direct) directRuns.push(result)
    else throughRuns.push(result)
  }
  const whole = Math.min(directRuns.length, throughRuns.length)
  const added = looked.map(([metric, percentile]): Added => {
    const of = (result: LoadResult | undefined): number => result?.metrics[metric].service[percentile] ?? Number.NaN
    // A short run may have had no reply to measure; its pair then says nothing.
    const differences = measured(throughRuns.slice(0, whole).map((result, pair) => of(result) - of(directRuns[pair])))
    return {
      metric,
      percentile,
      direct: median(measured(directRuns.map(of))),
      through: median(measured(throughRuns.map(of))),
      added: median(differences),
      interval: bootstrap(differences, (sorted) => sorted[sorted.length >> 1] ?? Number.NaN, direct.seed) ?? null,
    }
  })
  const [directResult, throughResult] = [directRuns.at(-1) ?? cut, cut ?? throughRuns.at(-1)]
  if (directResult === undefined || throughResult === undefined) throw new Error('no pair was run')
  return { direct: directResult, through: throughResult, pairs: whole, added }
}

function measured(values: readonly number[]): readonly number[] {
  return values.filter((value) => !Number.isNaN(value))
}

function shortened(plan: LoadPlan, durationMs: number): LoadPlan {
  const { arrivals } = plan
  const rate = arrivals.kind === 'open' ? (arrivals.stages[0]?.to ?? 1) : 1
  const short = { ...plan, durationMs, warmupMs: Math.min(plan.warmupMs, durationMs / 5) }
  return arrivals.kind === 'open' ? withLoad(short, rate) : short
}
