import { type Html, html } from '../../../src/markup/html.ts'
import { type Cell, numbers } from '../../../src/markup/table.ts'
import { type Percentiles, type Recent, recentMax } from '../../operations/recent.ts'
import { count, duration } from '../figures.ts'
import { dataTable, type Page } from './layout.ts'

export interface Health {
  readonly models: readonly Recent[]
  readonly nodes: readonly Recent[]
  readonly storeName: string
  /** How long the books took to answer just now; absent where they did not. */
  readonly booksTookMs?: number
  readonly storeTrouble?: string
  /** Whether limits are kept in Redis, for several replicas. */
  readonly sharesLimits: boolean
  readonly limitsTrouble?: string
}

/** Error rates and latencies of the last requests, and what the gateway rests on. */
export function operatorHealthPage(health: Health): Page {
  const { models, nodes, storeName, booksTookMs, storeTrouble, sharesLimits, limitsTrouble } = health
  const booksProblem = storeTrouble ?? (booksTookMs === undefined ? 'the books do not answer' : undefined)
  const rests: readonly (readonly Cell[])[] = [
    [`Books (${storeName})`, state(booksProblem), booksTookMs === undefined ? '–' : duration(Math.ceil(booksTookMs))],
    sharesLimits
      ? ['Limits of keys (Redis)', state(limitsTrouble), '–']
      : ['Limits of keys', 'kept in this process: no Redis is used', '–'],
  ]
  const body = html`<section><h2>What it rests on</h2>
${dataTable('What it rests on', ['Part', 'Now', numbers('Answers within')], rests)}</section>
<section><h2>By model</h2>
${requestsTable('Requests by model', 'Model', models)}</section>
<section><h2>By node</h2>
${requestsTable('Requests by node', 'Node', nodes)}
<p><small>The last ${count(recentMax)} requests of each, of this process. Times are of whole replies, and first tokens of whole
streams. A node that another one had to stand in for has failed.</small></p></section>`
  return { title: 'Health', body }
}

function state(trouble: string | undefined): Html {
  return trouble === undefined ? html`<span class="up">works</span>` : html`<span class="down">${trouble}</span>`
}

function requestsTable(label: string, what: string, all: readonly Recent[]): Html {
  if (all.length === 0) return html`<p>No requests since the start.</p>`
  const figures = [
    'Requests',
    'Failed',
    'Refused',
    'Client left',
    'First token, p50 / p95 / p99',
    'Duration, p50 / p95 / p99',
  ]
  const columns = [what, ...figures.map(numbers)]
  return dataTable(
    label,
    columns,
    all.map(({ name, requests, ended: { failed, refused, left }, firstTokenMs, durationMs }) => [
      html`<code>${name}</code>`,
      count(requests),
      failed === 0 ? '0' : html`<span class="down">${share(failed, requests)}</span>`,
      share(refused, requests),
      share(left, requests),
      percentiles(firstTokenMs),
      percentiles(durationMs),
    ]),
  )
}

function share(part: number, all: number): string {
  return part === 0 ? '0' : `${count(part)} (${((100 * part) / all).toFixed(1)} %)`
}

function percentiles(of: Percentiles | undefined): string {
  return of === undefined ? '–' : [of.p50, of.p95, of.p99].map(duration).join(' / ')
}
