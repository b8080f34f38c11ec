import { median } from '../../load/bootstrap.ts'
import type { SweepPoint } from '../../load/experiments.ts'
import { type PercentileName, percentiles } from '../../load/figures/histogram.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import type { SecondRow } from '../../load/figures/seconds.ts'
import type { Knee } from '../../load/knee.ts'
import type { Chart } from '../chart.ts'
import type { LoadReport } from './report.ts'

/** The run by second and by percentile, and its sweep by load. */
export function charts({ main, plan, sweep, knee }: LoadReport): readonly Chart[] {
  const { seconds, metrics } = main.result
  const points = (sweep ?? knee?.points ?? []).toSorted((one, other) => one.value - other.value)
  const unit = plan.arrivals.kind === 'closed' ? 'connections' : 'requests per second asked for'
  const ofRun = [firstTokenBySecond(seconds), requestsBySecond(seconds), latencyByPercentile(metrics)]
  if (points.length === 0) return ofRun
  return [...ofRun, firstTokenByLoad(points, unit, knee), throughputByLoad(points, unit)]
}

function firstTokenBySecond(seconds: readonly SecondRow[]): Chart {
  const medians = seconds
    .filter(({ ttft }) => ttft.length > 0)
    .map(({ second, ttft }) => [second, median(ttft)] as const)
  const stalls = seconds
    .filter(({ stallMax }) => stallMax > 0)
    .map(({ second, stallMax }) => [second, stallMax] as const)
  return {
    title: 'First token over the run',
    x: 'seconds',
    y: 'ms',
    series: [
      { name: 'ttft, median of the second', points: medians },
      { name: 'longest stall of the second', points: stalls },
    ],
  }
}

function requestsBySecond(seconds: readonly SecondRow[]): Chart {
  return {
    title: 'Requests by second',
    x: 'seconds',
    y: 'requests',
    series: [
      { name: 'sent', points: seconds.map(({ second, sent }) => [second, sent]) },
      { name: 'complete', points: seconds.map(({ second, ok }) => [second, ok]) },
      { name: 'ended badly', points: seconds.map(({ second, bad }) => [second, bad]) },
    ],
  }
}

function latencyByPercentile(metrics: LoadResult['metrics']): Chart {
  // The distance to 100 % on a logarithmic axis: p90, p99 and p99.9 are equally far apart.
  const place = (percent: number): number => 100 / (100 - percent)
  const names = Object.keys(percentiles) as PercentileName[]
  return {
    title: 'Latency by percentile',
    x: 'percentile',
    y: 'ms',
    logX: true,
    ticksX: names.map((name) => [place(percentiles[name]), `p${percentiles[name]}`]),
    series: (['ttft', 'stall', 'gap'] as const).map((metric) => ({
      name: metric,
      points: names
        .map((name) => [place(percentiles[name]), metrics[metric].response[name]] as const)
        .filter(([, value]) => !Number.isNaN(value)),
    })),
  }
}

function firstTokenByLoad(points: readonly SweepPoint[], unit: string, knee: Knee | undefined): Chart {
  return {
    title: 'First token by load',
    x: unit,
    y: 'ms',
    series: (['p50', 'p95'] as const).map((name) => ({
      name: `ttft ${name}`,
      points: points
        .map(({ value, result }) => [value, result.metrics.ttft.response[name]] as const)
        .filter(([, ms]) => !Number.isNaN(ms)),
    })),
    ...(knee?.value != null && { markX: { at: knee.value, label: 'knee' } }),
  }
}

function throughputByLoad(points: readonly SweepPoint[], unit: string): Chart {
  return {
    title: 'Throughput by load',
    x: unit,
    y: 'requests per second',
    series: [
      { name: 'complete', points: points.map(({ value, result }) => [value, result.throughput.requestsPerS]) },
      { name: 'goodput', points: points.map(({ value, result }) => [value, result.goodput.requestsPerS]) },
    ],
  }
}
