import { quantile } from '../../load/bootstrap.ts'
import type { SweepPoint } from '../../load/experiments.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import type { SecondRow } from '../../load/figures/seconds.ts'
import type { Objective } from '../../load/schedule/objective.ts'
import type { Chart } from '../../markup/charts/chart-data.ts'
import { stepFor } from '../../markup/charts/scale.ts'
import type { LoadReport } from '../load/report.ts'

type Bounds = NonNullable<Chart['bounds']>

/** The charts of one run: over time, and over all of its replies. */
export function chartsOfRun({ seconds, samples }: LoadResult, objectives: readonly Objective[]): readonly Chart[] {
  const rows = everySecond(seconds)
  const firstTokens = samples.flatMap(({ values }) => values.ttft ?? [])
  return [
    firstTokenOverTime(rows, boundsOf(objectives, 'ttft')),
    concurrency(rows),
    events(rows),
    ...(firstTokens.length === 0 ? [] : [histogram(firstTokens), byPercentile(samples)]),
  ]
}

/** Latency and throughput of each load that was tried, the lowest first. */
export function chartsByLoad(
  { sweep, knee, plan }: Pick<LoadReport, 'sweep' | 'knee' | 'plan'>,
  points: readonly SweepPoint[],
): readonly Chart[] {
  const sorted = points.toSorted((one, other) => one.value - other.value)
  if (sorted[0]?.value === sorted.at(-1)?.value) return []
  const unit = plan.arrivals.kind === 'closed' ? 'connections' : 'requests per second asked for'
  const at = sweep === undefined ? knee?.value : highestMet(sorted)
  const marks = at == null ? {} : { marks: [{ at, label: sweep === undefined ? 'knee' : 'highest load that met all' }] }
  const latency = (['p50', 'p95', 'p99'] as const).map((name) => ({
    name: `first token ${name}`,
    points: sorted
      .filter(({ result }) => result.metrics.ttft.response.count > 0)
      .map(({ value, result }) => [value, result.metrics.ttft.response[name]] as const),
  }))
  return [
    {
      title: 'First token by load',
      x: unit,
      y: 'ms',
      isWhole: true,
      series: latency,
      bounds: boundsOf(plan.objectives, 'ttft'),
      ...marks,
    },
    {
      title: 'Throughput by load',
      x: unit,
      y: 'requests per second',
      isWhole: true,
      series: [
        { name: 'complete', points: sorted.map(({ value, result }) => [value, result.throughput.requestsPerS]) },
        ...(plan.objectives.length === 0
          ? []
          : [
              {
                name: 'met every objective',
                points: sorted.map(({ value, result }) => [value, result.goodput.requestsPerS] as const),
              },
            ]),
      ],
      ...marks,
    },
  ]
}

/** Undefined without objectives: then no load says more than another. */
function highestMet(sorted: readonly SweepPoint[]): number | undefined {
  const met = sorted.filter(({ result: { slo } }) => slo.length > 0 && slo.every(({ pass }) => pass))
  return met.at(-1)?.value
}

function boundsOf(objectives: readonly Objective[], metric: 'ttft'): Bounds {
  return objectives.flatMap(({ subject, expression, bound }) =>
    subject.kind === 'metric' && subject.metric === metric ? [{ at: bound, label: expression }] : [],
  )
}

/** Rows for all seconds from the first to the last: nothing may have happened in some. */
function everySecond(seconds: readonly SecondRow[]): readonly SecondRow[] {
  const known = new Map(seconds.map((row) => [row.second, row]))
  const last = seconds.at(-1)?.second ?? -1
  const still = { sent: 0, ok: 0, bad: 0, events: 0, ttft: [], stallMax: 0 }
  return Array.from({ length: last + 1 }, (_, second) => known.get(second) ?? { second, ...still })
}

const windowsMin = 10
const windowsMax = 60
const shares = { p50: 0.5, p95: 0.95, p99: 0.99 } as const

function firstTokenOverTime(rows: readonly SecondRow[], bounds: Bounds): Chart {
  const windows = windowsOf(rows)
  const width = widthOf(rows)
  const series = Object.entries(shares).map(([name, share]) => ({
    name,
    points: windows.flatMap(({ second, ttft }) => {
      // With fewer values a percentile would be the largest of them, and look as if it were measured.
      if (ttft.length * (1 - share) < 1 - 1e-9) return []
      return [
        [
          second,
          quantile(
            ttft.toSorted((one, other) => one - other),
            share,
          ),
        ] as const,
      ]
    }),
  }))
  const missing = series.filter(({ points }) => points.length === 0).map(({ name }) => name)
  const only = missing.length === series.length - 1 ? ': the line is p50' : ''
  const few = missing.length === 0 ? '' : ` Too few for ${missing.join(' and ')}${only}.`
  return {
    title: 'Time to first token',
    x: 'seconds',
    y: 'ms',
    isWhole: true,
    series,
    bounds,
    note: `From up to 32 replies per second and thread, in windows of ${width} s.${few}`,
  }
}

/** Few enough windows that each can have a 99th percentile, and enough of them to see a change. */
function widthOf(rows: readonly SecondRow[]): number {
  const values = rows.reduce((sum, { ttft }) => sum + ttft.length, 0)
  const windows = Math.min(windowsMax, Math.max(windowsMin, Math.floor(values / 100)))
  return Math.max(1, Math.ceil(rows.length / windows))
}

function windowsOf(
  rows: readonly SecondRow[],
): readonly { readonly second: number; readonly ttft: readonly number[] }[] {
  const width = widthOf(rows)
  const groups = Map.groupBy(rows, ({ second }) => Math.floor(second / width) * width)
  return [...groups].map(([second, some]) => ({ second, ttft: some.flatMap(({ ttft }) => ttft) }))
}

function concurrency(rows: readonly SecondRow[]): Chart {
  let inFlight = 0
  const open = rows.map(({ second, sent, ok, bad }) => {
    inFlight += sent - ok - bad
    return [second, inFlight] as const
  })
  // Nothing is sent once the run is over: a fall to nothing would look like one of the gateway.
  const lastSent = rows.findLastIndex(({ sent }) => sent > 0)
  return {
    title: 'Requests',
    x: 'seconds',
    y: 'by second',
    series: [
      { name: 'sent', points: rows.slice(0, lastSent + 1).map(({ second, sent }) => [second, sent]) },
      { name: 'in flight at the end of the second', points: open },
      { name: 'ended badly', isBad: true, points: rows.map(({ second, bad }) => [second, bad]) },
    ],
  }
}

function events(rows: readonly SecondRow[]): Chart {
  return {
    title: 'Events',
    x: 'seconds',
    y: 'per second',
    series: [{ name: 'events', points: rows.map(({ second, events: count }) => [second, count]) }],
  }
}

const columnsAbout = 30

/** Up to half as much again as the 99th percentile: a few stragglers would press all the rest into one column. */
function histogram(values: readonly number[]): Chart {
  const sorted = values.toSorted((one, other) => one - other)
  const top = Math.min(sorted.at(-1) ?? 0, quantile(sorted, 0.99) * 1.5)
  const bottom = sorted[0] ?? 0
  const step = stepFor((top - bottom) / columnsAbout)
  const first = Math.floor(bottom / step)
  const count = Math.floor(top / step) - first + 1
  const inColumn = Map.groupBy(
    sorted.filter((value) => value <= top),
    (value) => Math.floor(value / step) - first,
  )
  const points = Array.from({ length: count }, (_, index) => {
    const from = Number(((first + index) * step).toPrecision(12))
    return [from, inColumn.get(index)?.length ?? 0] as const
  })
  const beyond = sorted.filter((value) => value > top).length
  return {
    title: 'Time to first token: how often',
    x: 'ms',
    y: 'replies',
    form: 'columns',
    series: [{ name: 'replies', points }],
    ...(beyond > 0 && {
      note: `${beyond} of ${sorted.length} took longer, up to ${Math.round(sorted.at(-1) ?? 0)} ms.`,
    }),
  }
}

const percents = [50, 60, 70, 75, 80, 85, 90, 92, 94, 95, 96, 97, 98, 98.5, 99, 99.5, 99.7, 99.9]
const named = new Set([50, 75, 90, 95, 99, 99.9])
/** With fewer values beyond it, a percentile is the luck of a few requests. */
const beyondMin = 5

function byPercentile(samples: LoadResult['samples']): Chart {
  // The distance to 100 % on a logarithmic axis: p90, p99 and p99.9 are equally far apart.
  const place = (percent: number): number => 100 / (100 - percent)
  const series = (
    [
      ['first token', 'ttft'],
      ['longest stall', 'stall'],
    ] as const
  ).map(([name, metric]) => {
    const sorted = samples.flatMap(({ values }) => values[metric] ?? []).sort((one, other) => one - other)
    const reliable = percents.filter((percent) => sorted.length * (1 - percent / 100) >= beyondMin - 1e-9)
    return { name, points: reliable.map((percent) => [place(percent), quantile(sorted, percent / 100)] as const) }
  })
  const most = Math.max(0, ...series.flatMap(({ points }) => points.map(([x]) => x)))
  return {
    title: 'Latency by percentile',
    x: 'percentile',
    y: 'ms',
    logX: true,
    sayX: (x) => `p${Number((100 - 100 / x).toFixed(2))}`,
    ticksX: percents
      .filter((percent) => named.has(percent) && place(percent) <= most * 1.001)
      .map((percent) => [place(percent), `p${percent}`]),
    series,
  }
}
