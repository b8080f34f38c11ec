import { html } from '../../../src/markup/html.ts'
import { numbers } from '../../../src/markup/table.ts'
import { dayOf } from '../../ledger/day.ts'
import { decimal } from '../../ledger/money.ts'
import type { DayUsage } from '../../store/store.ts'
import { csvLine } from '../csv.ts'
import { count, dollars } from '../figures.ts'
import { dataTable, type Frame, type KeyNames, type Page } from './layout.ts'
import { costChart, costShares, type DayCost, type Share } from './usage-chart.ts'

const DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1000
/** The page stays below 30 kB; the file has all lines. */
const ROWS_MAX = 40

export function usagePage(frame: Frame, usage: readonly DayUsage[], names: KeyNames, nowMs: number): Page {
  const total = (pick: (one: DayUsage) => number): number => usage.reduce((sum, one) => sum + pick(one), 0)
  const rows = usage
    .slice(0, ROWS_MAX)
    .map(({ day, keyId, model, requests, promptTokens, completionTokens, usd }) => [
      day,
      html`${names.get(keyId) ?? 'a deleted key'} <code>${keyId}</code>`,
      model,
      count(requests),
      count(promptTokens),
      count(completionTokens),
      `$${dollars(usd)}`,
    ])
  const body = html`<dl class="figures"><div><dt>Requests</dt><dd>${count(total(({ requests }) => requests))}</dd></div>
<div><dt>Prompt tokens</dt><dd>${count(total(({ promptTokens }) => promptTokens))}</dd></div>
<div><dt>Completion tokens</dt><dd>${count(total(({ completionTokens }) => completionTokens))}</dd></div>
<div><dt>Cost</dt><dd>$${dollars(usage.reduce((sum, { usd }) => sum + usd, 0n))}</dd></div></dl>
<h2>Cost of the last ${DAYS} days</h2>${costChart(daysOf(usage, nowMs))}
${
  usage.length > 0 &&
  html`<div class="pair"><div><h2>By model</h2>${costShares(
    'Model',
    sharesBy(usage, ({ model }) => model),
  )}</div><div><h2>By key</h2>${costShares(
    'Key',
    sharesBy(usage, ({ keyId }) => names.get(keyId) ?? `deleted, ${keyId}`),
  )}</div></div>`
}
<h2>By day, key and model</h2>
${rows.length === 0 ? html`<p>Nothing has been used yet.</p>` : dataTable('Usage', ['Day (UTC)', 'Key', 'Model', numbers('Requests'), numbers('Prompt tokens'), numbers('Completion tokens'), numbers('Cost')], rows)}
${usage.length > ROWS_MAX && html`<p>The newest ${ROWS_MAX} of ${usage.length} lines; the file has them all.</p>`}
<p><a href="${frame.root}/usage.csv" download>Download as CSV</a></p>`
  return { title: 'Usage', body }
}

function daysOf(usage: readonly DayUsage[], nowMs: number): readonly DayCost[] {
  return Array.from({ length: DAYS }, (_, back) => {
    const day = dayOf(nowMs - (DAYS - 1 - back) * DAY_MS)
    return { day, usd: usage.filter((one) => one.day === day).reduce((sum, { usd }) => sum + usd, 0n) }
  })
}

function sharesBy(usage: readonly DayUsage[], nameOf: (one: DayUsage) => string): readonly Share[] {
  const shares = new Map<string, bigint>()
  for (const one of usage) shares.set(nameOf(one), (shares.get(nameOf(one)) ?? 0n) + one.usd)
  return [...shares].map(([name, usd]) => ({ name, usd }))
}

export function usageCsv(usage: readonly DayUsage[], names: KeyNames): string {
  const lines = usage.map(({ day, keyId, model, requests, promptTokens, completionTokens, usd }) =>
    csvLine([day, keyId, names.get(keyId) ?? '', model, requests, promptTokens, completionTokens, decimal(usd)]),
  )
  return `day,key_id,key_name,model,requests,prompt_tokens,completion_tokens,cost_usd\r\n${lines.join('')}`
}
