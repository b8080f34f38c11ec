import type { Pairs, SweepPoint } from '../../load/experiments.ts'
import { percentiles, type Stats } from '../../load/figures/histogram.ts'
import { type MetricName, metricNames, metrics, type View } from '../../load/figures/metrics.ts'
import { meaning, outcomes } from '../../load/figures/outcome.ts'
import type { LoadResult } from '../../load/figures/result.ts'
import { loadWords } from '../../load/schedule/load-words.ts'
import { type Html, html } from '../../markup/html.ts'
import { numbers, table } from '../../markup/table.ts'
import { ms } from '../load/milliseconds.ts'
import { badOf, type LoadReport } from '../load/report.ts'

export function outcomeTable(result: LoadResult): Html {
  const { sent } = result.outcomes
  const rows = outcomes
    .filter((outcome) => result.outcomes[outcome] > 0)
    .map((outcome) => {
      const reasons = (result.reasons[outcome] ?? []).map(
        (reason) => html`<br><span class="dim">${reason.slice(0, 200)}</span>`,
      )
      const count = result.outcomes[outcome]
      return [
        html`${meaning[outcome]}${reasons}`,
        count.toLocaleString('en-US'),
        `${((count / sent) * 100).toFixed(2)} %`,
      ]
    })
  return table([`How`, numbers(`of ${sent.toLocaleString('en-US')} sent`), numbers('share')], rows)
}

const columns = Object.keys(percentiles) as (keyof typeof percentiles)[]

/** Every metric with its percentiles; those that do not differ share a row. */
export function latencyTable({ main }: LoadReport): Html {
  const names = columns.map((name) => numbers(`p${percentiles[name]}`))
  const head = ['Metric', numbers('count'), numbers('mean'), ...names, numbers('max')]
  const rows = [
    ...rowsOf(metricNames, 'service', main.result),
    ...rowsOf(
      metricNames.filter((name) => metrics[name].fromStart),
      'response',
      main.result,
    ),
  ]
  if (rows.length === 0) return html`<p>No reply was complete after the warm-up: there is nothing to measure.</p>`
  return html`<p class="dim">Milliseconds, only of complete replies. ~ rests on fewer than five values beyond it.</p>
<div class="compact">${table(head, rows)}</div>`
}

function rowsOf(
  names: readonly MetricName[],
  view: View,
  { metrics: measured }: LoadResult,
): Parameters<typeof table>[1] {
  const own = names.flatMap((name) => {
    const stats = measured[name][view]
    return stats.count === 0 ? [] : [{ name, cells: cellsOf(stats) }]
  })
  const same = Map.groupBy(own, ({ cells }) => html`${cells.map((cell) => html`${cell} `)}`.text)
  return [...same.values()].map((some) => {
    const label = some.map(({ name }) => name).join(' = ')
    const start = view === 'response' ? ' from intended start' : ''
    return [`${label}${start}`, ...(some[0]?.cells ?? [])]
  })
}

function cellsOf(stats: Stats): readonly (Html | string | number)[] {
  const shown = columns.map((name) =>
    stats.unreliable.includes(name) ? html`<span class="dim">~${ms(stats[name])}</span>` : ms(stats[name]),
  )
  return [stats.count.toLocaleString('en-US'), ms(stats.mean), ...shown, ms(stats.max)]
}

/** Every load that was tried, in the order of the trials. */
export function seriesTable({ plan }: Pick<LoadReport, 'plan'>, points: readonly SweepPoint[]): Html {
  const rows = points.map(({ value, result }) => [
    loadWords(plan, value),
    result.throughput.requestsPerS.toFixed(2),
    ms(result.metrics.ttft.response.p50),
    ms(result.metrics.ttft.response.p95),
    ms(result.metrics.gap.service.p99),
    badOf(result),
    metOf(result),
  ])
  const names = ['requests/s', 'first token p50', 'first token p95', 'gap p99', 'ended badly'].map(numbers)
  return html`<h2>Loads tried</h2><div class="compact">${table(['Load', ...names, 'objectives'], rows)}</div>`
}

function metOf({ slo, validity: { verdict } }: LoadResult): Html {
  if (verdict === 'invalid' || verdict === 'interrupted') return html`<span class="bad">${verdict}</span>`
  if (slo.length === 0) return html`–`
  const met = slo.every(({ pass }) => pass)
  return html`<span class="${met ? 'good' : 'bad'}">${met ? 'met' : 'missed'}</span>`
}

export function addedTable({ baseUrl, added }: Pairs & { readonly baseUrl: string }): Html {
  const rows = added
    .filter(({ added: more }) => !Number.isNaN(more))
    .map(({ metric, percentile, direct, through, added: more, interval }) => {
      const range = interval === null ? '–' : `${ms(interval.low)} to ${ms(interval.high)}`
      return [`${metric} ${percentile}`, ms(direct), ms(through), ms(more), range]
    })
  return table(
    [
      'ms',
      numbers(`direct (${baseUrl})`),
      numbers('through the gateway'),
      numbers('added'),
      numbers('95 % confidence'),
    ],
    rows,
  )
}
