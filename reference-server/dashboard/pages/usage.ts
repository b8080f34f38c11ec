import { type Html, html } from '../../../src/markup/html.ts'
import { numbers } from '../../../src/markup/table.ts'
import { dayOf, hourOf } from '../../ledger/day.ts'
import { decimal } from '../../ledger/money.ts'
import type { DayUsage } from '../../store/store.ts'
import { csvLine } from '../csv.ts'
import { count, money } from '../figures.ts'
import { type Frame, type KeyNames, listTable, type Page, rowsAPage, select } from './layout.ts'
import { type MetricId, metrics, type TimedUsage, usageChart } from './usage-chart.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** In days; the last one is shown by the hour. */
export const ranges = [1, 7, 30, 90] as const

/** What to show of the usage. */
export interface UsageView {
  readonly days: number
  readonly metric: MetricId
  readonly by: 'model' | 'key'
}

/** The days or hours that a range ends with, the oldest first. */
export function timesOf(days: number, nowMs: number): readonly string[] {
  const [count, stepMs, name] = days === 1 ? ([24, HOUR_MS, hourOf] as const) : ([days, DAY_MS, dayOf] as const)
  return Array.from({ length: count }, (_, at) => name(nowMs - (count - 1 - at) * stepMs))
}

/** `all` is by hour where one day is shown, otherwise by day. */
export function usagePage(
  frame: Frame,
  all: readonly TimedUsage[],
  names: KeyNames,
  nowMs: number,
  view: UsageView = { days: 30, metric: 'cost', by: 'model' },
): Page {
  const times = timesOf(view.days, nowMs)
  const usage = all.filter(({ time }) => time >= (times[0] ?? ''))
  const unit = view.days === 1 ? 'hour' : 'day'
  const keyName = (keyId: string): string => names.get(keyId) ?? `deleted, ${keyId}`
  const total = (pick: (one: TimedUsage) => number): string => count(usage.reduce((sum, one) => sum + pick(one), 0))
  const rows = usage
    .slice(0, rowsAPage)
    .map(({ time, keyId, model, requests, promptTokens, completionTokens, usd }) => [
      time,
      keyName(keyId),
      model,
      count(requests),
      count(promptTokens),
      count(completionTokens),
      money(usd),
    ])
  const columns = [
    unit === 'hour' ? 'Hour (UTC)' : 'Day (UTC)',
    'Key',
    'Model',
    ...['Requests', 'Prompt tokens', 'Completion tokens', 'Cost'].map(numbers),
  ]
  const body = html`${choices(frame, view)}
<dl class="figures"><div><dt>Cost</dt><dd>${money(usage.reduce((sum, { usd }) => sum + usd, 0n))}</dd></div>
<div><dt>Requests</dt><dd>${total(({ requests }) => requests)}</dd></div>
<div><dt>Prompt tokens</dt><dd>${total(({ promptTokens }) => promptTokens)}</dd></div>
<div><dt>Completion tokens</dt><dd>${total(({ completionTokens }) => completionTokens)}</dd></div></dl>
${usageChart(usage, times, view.metric, ({ model, keyId }) => (view.by === 'key' ? keyName(keyId) : model))}
<h2>By ${unit}, key and model</h2>
${rows.length === 0 ? html`<p>Nothing has been used in these ${unit}s.</p>` : listTable('Usage', columns, rows)}
${usage.length > rowsAPage && html`<p>The newest ${rowsAPage} of ${usage.length} lines; the file has them all.</p>`}
<p><a href="${frame.root}/usage.csv" download>Download all days as CSV</a></p>`
  return { title: 'Usage', body }
}

function choices({ root }: Frame, { days, metric, by }: UsageView): Html {
  const spans = ranges.map((one) => [String(one), one === 1 ? 'last 24 hours' : `last ${one} days`] as const)
  const kinds = Object.entries(metrics).map(([id, { name }]) => [id, name] as const)
  return html`<form class="filters" method="get" action="${root}/usage" aria-label="What to show">
${select('Days', 'days', spans, String(days))}${select('Show', 'metric', kinds, metric)}
${select(
  'Split by',
  'by',
  [
    ['model', 'model'],
    ['key', 'key'],
  ],
  by,
)}<button class="quiet">Show</button></form>`
}

export function usageCsv(usage: readonly DayUsage[], names: KeyNames): string {
  const lines = usage.map(({ day, keyId, model, requests, promptTokens, completionTokens, usd }) =>
    csvLine([day, keyId, names.get(keyId) ?? '', model, requests, promptTokens, completionTokens, decimal(usd)]),
  )
  return `day,key_id,key_name,model,requests,prompt_tokens,completion_tokens,cost_usd\r\n${lines.join('')}`
}
