import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
  initWebAssemblySync,
} from 'hdr-histogram-js'

initWebAssemblySync()

/** The longest value, in milliseconds: an hour. Longer ones count as an hour. */
const msMax = 3_600_000

/** Percentiles in the order in which they are shown. */
export const percentiles = { p50: 50, p90: 90, p95: 95, p99: 99, p999: 99.9 } as const

export type PercentileName = keyof typeof percentiles

/** Statistics of one metric, in milliseconds. */
export type Stats = {
  readonly count: number
  readonly min: number
  readonly mean: number
  readonly max: number
  /** Percentiles that rest on too few values: fewer than five lie beyond them. */
  readonly unreliable: readonly PercentileName[]
} & Readonly<Record<PercentileName, number>>

/**
 * An HDR histogram of milliseconds, exact to the microsecond and to three digits. Histograms of several shards can be
 * added; percentiles cannot.
 */
export interface LatencyHistogram {
  record(ms: number, count?: number): void
  readonly count: number
  add(serialized: string): void
  /** Compressed to a few kilobytes. */
  serialize(): string
  stats(): Stats
  /** In milliseconds; NaN if there are no values. */
  percentile(percent: number): number
  /** Frees memory that the garbage collector does not manage. */
  free(): void
}

export function createHistogram(): LatencyHistogram {
  const histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: msMax * 1000,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    useWebAssembly: true,
  })
  // A histogram only keeps classes; the smallest value, the largest and the sum are kept exactly.
  let min = Number.POSITIVE_INFINITY
  let max = 0
  let sum = 0
  const percentile = (percent: number): number =>
    histogram.totalCount === 0 ? Number.NaN : Math.min(max, histogram.getValueAtPercentile(percent) / 1000)
  return {
    record(ms, count = 1) {
      histogram.recordValueWithCount(Math.round(Math.min(Math.max(ms, 0), msMax) * 1000), count)
      if (ms < min) min = ms
      if (ms > max) max = ms
      sum += ms * count
    },
    get count() {
      return histogram.totalCount
    },
    add(serialized) {
      const [encoded = '', otherMin, otherMax, otherSum] = JSON.parse(serialized) as [
        string,
        number | null,
        number,
        number,
      ]
      const other = decodeFromCompressedBase64(encoded, 32, true)
      histogram.add(other)
      other.destroy()
      min = Math.min(min, otherMin ?? min)
      max = Math.max(max, otherMax)
      sum += otherSum
    },
    serialize: () =>
      JSON.stringify([encodeIntoCompressedBase64(histogram), Number.isFinite(min) ? min : null, max, sum]),
    stats() {
      const count = histogram.totalCount
      const values = Object.entries(percentiles).map(([name, percent]) => [name, percentile(percent)])
      return {
        count,
        min: count === 0 ? Number.NaN : min,
        mean: count === 0 ? Number.NaN : sum / count,
        ...(Object.fromEntries(values) as Record<PercentileName, number>),
        max: count === 0 ? Number.NaN : max,
        unreliable: unreliable(count),
      }
    },
    percentile,
    free: () => histogram.destroy(),
  }
}

/** The statistics of several histograms added up. */
export function statsOf(parts: readonly string[]): Stats {
  const histogram = createHistogram()
  for (const part of parts) histogram.add(part)
  const stats = histogram.stats()
  histogram.free()
  return stats
}

/** With fewer than five values beyond it, a percentile is the luck of a few requests. */
export function unreliable(count: number): readonly PercentileName[] {
  return (Object.keys(percentiles) as PercentileName[]).filter((name) => count < enoughFor(name))
}

/** How many values a percentile needs to be relied on. */
export function enoughFor(name: PercentileName): number {
  return Math.ceil(5 / (1 - percentiles[name] / 100) - 1e-6)
}

export function isPercentile(name: string): name is PercentileName {
  return name in percentiles
}
