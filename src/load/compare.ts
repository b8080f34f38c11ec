import { bootstrap, type Interval, quantile } from './bootstrap.ts'
import { enoughFor } from './figures/histogram.ts'
import { type MetricName, metricNames } from './figures/metrics.ts'
import { createChance } from './schedule/chance.ts'

type CompareVerdict = 'better' | 'same' | 'worse' | 'undecided'

/** One statistic of two runs, in milliseconds. */
export interface ComparedMetric {
  readonly metric: MetricName
  readonly percentile: 'p50' | 'p95'
  readonly before: number
  readonly after: number
  /** After over before, with 95 % confidence. */
  readonly ratio: Interval | null
  /** Of the Mann–Whitney test: how likely two runs of one gateway are to differ this much. */
  readonly p: number
  readonly verdict: CompareVerdict
  /** Why it is undecided. */
  readonly reason?: string
}

export type Samples = readonly Readonly<Partial<Record<MetricName, number>>>[]

const shares = { p50: 0.5, p95: 0.95 } as const
const samplesMin = 20
const alpha = 0.05

/**
 * Compares two runs by their requests. `worse` and `better` need the whole interval of the ratio beyond the tolerance;
 * a median also needs a shift of all requests that chance does not explain, and a 95th percentile enough of them to be
 * relied on. `same` needs the whole interval within the tolerance; all else is `undecided`.
 */
export function compareSamples(
  before: Samples,
  after: Samples,
  toleranceOf: (metric: MetricName, percentile: 'p50' | 'p95') => number,
  seed: number,
): readonly ComparedMetric[] {
  return metricNames.flatMap((metric) => {
    const [old, fresh] = [before, after].map((samples) => samples.flatMap((values) => values[metric] ?? []))
    if (old === undefined || fresh === undefined || old.length < samplesMin || fresh.length < samplesMin) return []
    const p = mannWhitney(old, fresh)
    return (Object.keys(shares) as (keyof typeof shares)[]).map((percentile): ComparedMetric => {
      const at = (values: readonly number[]): number =>
        quantile(
          values.toSorted((a, b) => a - b),
          shares[percentile],
        )
      const ratio = ratioInterval(old, fresh, shares[percentile], seed)
      const found = { metric, percentile, before: at(old), after: at(fresh), ratio, p }
      const fewest = Math.min(old.length, fresh.length)
      return { ...found, ...judge(found, toleranceOf(metric, percentile), fewest) }
    })
  })
}

function judge(
  { percentile, before, after, ratio, p }: Omit<ComparedMetric, 'verdict'>,
  tolerance: number,
  fewest: number,
): Pick<ComparedMetric, 'verdict' | 'reason'> {
  const undecided = (reason: string) => ({ verdict: 'undecided', reason }) as const
  // Two zeros have no ratio.
  if (before === after) return { verdict: 'same' }
  if (ratio === null) return undecided('it was 0 before, so there is no ratio')
  if (percentile === 'p95' && fewest < enoughFor('p95'))
    return undecided(`too few requests: ${fewest} in one run, and a p95 needs ${enoughFor('p95')}`)
  if (ratio.low >= 1 - tolerance && ratio.high <= 1 + tolerance) return { verdict: 'same' }
  const isWorse = ratio.low > 1 + tolerance
  if (!isWorse && ratio.high >= 1 - tolerance)
    return undecided(`anything from ${change(ratio.low)} to ${change(ratio.high)} is possible: compare longer runs`)
  if (percentile === 'p50' && p >= alpha) return undecided(`chance may explain it (p = ${p.toFixed(2)})`)
  return { verdict: isWorse ? 'worse' : 'better' }
}

/** A ratio as people say it: `+12 %`. */
function change(ratio: number): string {
  const percent = Math.round((ratio - 1) * 100)
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`
}

/** Each resample of one run is paired with a resample of the other. */
function ratioInterval(old: readonly number[], fresh: readonly number[], share: number, seed: number): Interval | null {
  const draws = (values: readonly number[], own: number): number[] => {
    const found: number[] = []
    bootstrap(
      values,
      (sorted) => {
        found.push(quantile(sorted, share))
        return 0
      },
      own,
    )
    return found
  }
  const [olds, freshs] = [draws(old, seed), draws(fresh, seed + 1)]
  const chance = createChance(seed)
  const ratios = freshs
    .map((value) => value / (olds[Math.floor(chance.unit() * olds.length)] ?? Number.NaN))
    .filter((value) => Number.isFinite(value))
    .sort((one, other) => one - other)
  return ratios.length === 0 ? null : { low: quantile(ratios, 0.025), high: quantile(ratios, 0.975) }
}

/** The two-sided p of the Mann–Whitney U test, by its normal approximation with ties corrected (Mann and Whitney 1947). */
export function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((value) => ({ value, first: true })),
    ...other.map((value) => ({ value, first: false })),
  ].sort((left, right) => left.value - right.value)
  let rankSum = 0
  let ties = 0
  for (let at = 0; at < all.length; ) {
    let end = at
    while (end < all.length && all[end]?.value === all[at]?.value) end += 1
    const rank = (at + 1 + end) / 2
    for (let index = at; index < end; index += 1) if (all[index]?.first === true) rankSum += rank
    ties += (end - at) ** 3 - (end - at)
    at = end
  }
  const [n, m, total] = [one.length, other.length, all.length]
  const u = rankSum - (n * (n + 1)) / 2
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)))
  if (variance <= 0) return 1
  const z = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5) / Math.sqrt(variance)
  return Math.min(1, 2 * (1 - normal(z)))
}

/** The standard normal distribution (Abramowitz and Stegun 26.2.17, error below 7.5e-8). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail
}
