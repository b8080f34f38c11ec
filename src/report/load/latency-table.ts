import type { Stats } from '../../load/figures/histogram.ts'
import type { View } from '../../load/figures/metrics.ts'
import { metricNames } from '../../load/figures/metrics.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import type { Paint } from '../paint.ts'
import { ms } from './milliseconds.ts'
import type { LoadReport } from './report.ts'

/** As wide as the longest names that share a row: with more, rows would leave 80 columns. */
const namesWidth = 14

const head = `  ${''.padEnd(namesWidth)}${'count'.padStart(7)}${['mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'].map((one) => one.padStart(8)).join('')}`

/** Every metric with its percentiles, within 80 columns; metrics that do not differ share a row as far as it holds their names. */
export function latencyTable({ main, plan }: LoadReport, paint: Paint): string {
  const { metrics } = main.result
  if (!metricNames.some((name) => metrics[name].service.count > 0)) return ''
  const warmup = plan.warmupMs > 0 ? `, without the first ${plan.warmupMs / 1000} s` : ''
  const runs = main.runs.length > 1 ? `; the median of ${main.runs.length} runs` : ''
  const rows = [
    head,
    ...rowsOf(metrics, 'service', paint),
    // In a closed loop requests are due when they are sent, apart from the wait for a connection.
    ...(plan.arrivals.kind === 'closed'
      ? []
      : ['  from when the request was due:', ...rowsOf(metrics, 'response', paint)]),
    ...confidence(main),
  ]
  const note = paint.dim('  ~ fewer than five values lie beyond this one: do not rely on it')
  return [
    `latencies of complete replies in ms${warmup}${runs}`,
    ...rows,
    ...(rows.some((row) => row.includes('~')) ? [note] : []),
  ].join('\n')
}

function rowsOf(metrics: LoadResult['metrics'], view: View, paint: Paint): readonly string[] {
  const shown = metricNames.flatMap((name) => {
    const { service, response } = metrics[name]
    if (service.count === 0 || (view === 'response' && service === response)) return []
    return [{ name, cells: cellsOf(metrics[name][view], paint) }]
  })
  return [...Map.groupBy(shown, ({ cells }) => cells)].flatMap(([cells, same]) =>
    inRows(same.map(({ name }) => name)).map((names) => `  ${names.padEnd(namesWidth)}${cells}`),
  )
}

/** Names in as few rows as their column allows. */
function inRows(names: readonly string[]): readonly string[] {
  const rows: string[] = []
  for (const name of names) {
    const joined = `${rows.at(-1)} ${name}`
    if (rows.length > 0 && joined.length <= namesWidth) rows[rows.length - 1] = joined
    else rows.push(name)
  }
  return rows
}

function cellsOf(stats: Stats, paint: Paint): string {
  const percentiles = (['p50', 'p90', 'p95', 'p99', 'p999'] as const).map((one) => {
    const isUnreliable = stats.unreliable.includes(one)
    const text = `${isUnreliable ? '~' : ''}${ms(stats[one])}`.padStart(8)
    return isUnreliable ? paint.dim(text) : text
  })
  return `${countText(stats.count).padStart(7)}${ms(stats.mean).padStart(8)}${percentiles.join('')}${ms(stats.max).padStart(8)}`
}

function countText(count: number): string {
  return count >= 1_000_000 ? `${(count / 1_000_000).toFixed(1)}M` : String(count)
}

function confidence(main: LoadReport['main']): readonly string[] {
  return (['ttft', 'e2e'] as const).flatMap((name) => {
    const found = main.confidence[name]
    if (found === undefined) return []
    const { p50, p95 } = found
    return [`  95 % confidence: ${name} p50 ${ms(p50.low)} to ${ms(p50.high)}, p95 ${ms(p95.low)} to ${ms(p95.high)}`]
  })
}
