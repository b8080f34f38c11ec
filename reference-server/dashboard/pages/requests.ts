import { type Html, html } from '../../../src/markup/html.ts'
import { type Cell, numbers } from '../../../src/markup/table.ts'
import { decimal } from '../../ledger/money.ts'
import { type BookedRequest, type Outcome, outcomes, type RequestFilter } from '../../store/request-log.ts'
import { csvLine } from '../csv.ts'
import { count, duration, money, second } from '../figures.ts'
import { type Frame, type KeyNames, listTable, type Page, select } from './layout.ts'

export interface RequestsView {
  readonly rows: readonly BookedRequest[]
  readonly filter: RequestFilter
  /** A UTC day, as `2026-11-21`: the newest to show. */
  readonly until?: string
  /** The id that the page begins below; absent on the first one. */
  readonly before?: string
  readonly hasOlder: boolean
  readonly names: KeyNames
  readonly models: readonly string[]
  /** Absent where no log is kept. */
  readonly keptDays?: number
}

const outcomeNames: Readonly<Record<Outcome, string>> = {
  ok: 'whole reply',
  refused: 'refused',
  failed: 'failed',
  left: 'client left',
}

/** The account's requests of the last days, newest first. */
export function requestsPage(frame: Frame, view: RequestsView): Page {
  const { rows, names, keptDays } = view
  if (keptDays === undefined)
    return {
      title: 'Requests',
      body: html`<p>This gateway keeps no log of requests. Usage and ledger show what was charged.</p>`,
    }
  const body = html`<p>Requests of the last ${count(keptDays)} days, newest first: refused and failed ones too, and never what was said.</p>
${filters(frame, view)}
${rows.length === 0 ? html`<p>No request fits.</p>` : requestsTable('Requests', rows, names)}
${pages(frame, view)}
<p><a href="${frame.root}/requests.csv${query(view)}" download>Download as CSV</a></p>`
  return { title: 'Requests', body }
}

export function requestsTable(label: string, rows: readonly BookedRequest[], names: KeyNames): Html {
  const columns = [
    'Time (UTC), request id',
    'Key',
    'Model',
    'Result',
    ...['First token', 'Duration', 'Tokens', 'Cost'].map(numbers),
  ]
  return listTable(
    label,
    columns,
    rows.map((one) => row(one, names)),
  )
}

function row(request: BookedRequest, names: KeyNames): readonly Cell[] {
  const { id, at, keyId, model, firstTokenMs, durationMs, promptTokens, completionTokens = 0, usd } = request
  return [
    html`<time>${second(at)}</time><br><small><code>${id}</code></small>`,
    names.get(keyId) ?? html`<code>${keyId}</code>`,
    model ?? '–',
    result(request),
    firstTokenMs === undefined ? '–' : duration(firstTokenMs),
    duration(durationMs),
    promptTokens === undefined ? '–' : `${count(promptTokens)} + ${count(completionTokens)}`,
    usd === undefined ? '–' : money(usd),
  ]
}

function result({ outcome, status, code }: BookedRequest): Html {
  if (outcome === 'ok') return html`<span class="up">${status}</span>`
  return html`<span class="down">${outcome === 'left' ? 'client left' : `${status} ${code}`}</span>`
}

function filters({ root }: Frame, { filter, until = '', names, models }: RequestsView): Html {
  return html`<form class="filters" method="get" action="${root}/requests" aria-label="Find requests">
${select('Key', 'key', [['', 'all'], ...names], filter.keyId)}
${select('Model', 'model', [['', 'all'], ...models.map((id) => [id, id] as const)], filter.model)}
${select('Result', 'outcome', [['', 'all'], ...outcomes.map((one) => [one, outcomeNames[one]] as const)], filter.outcome)}
<label>Until <input type="date" name="until" value="${until}"></label>
<label>Request id <input type="search" name="id" value="${filter.id ?? ''}" placeholder="req_…"></label>
<button class="quiet">Show</button></form>`
}

function pages({ root }: Frame, view: RequestsView): Html {
  const { rows, before, hasOlder } = view
  const older = rows.at(-1)?.id ?? ''
  return html`<nav class="pages" aria-label="Pages"><ul>${before !== undefined && html`<li><a href="${root}/requests${query(view)}">Newest</a></li>`}${hasOlder && html`<li><a href="${root}/requests${query(view, older)}">Older</a></li>`}</ul></nav>`
}

function query({ filter, until }: RequestsView, before?: string): string {
  const { id, keyId, model, outcome } = filter
  const given = Object.entries({ key: keyId, model, outcome, until, id, before }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

export const requestsCsvHead =
  'time,request_id,key_id,key_name,model,result,status,code,first_token_ms,duration_ms,prompt_tokens,completion_tokens,cost_usd\r\n'

export function requestsCsvLine(request: BookedRequest, names: KeyNames): string {
  const { at, id, keyId, model, outcome, status, code, firstTokenMs, durationMs, promptTokens, completionTokens, usd } =
    request
  const cost = usd === undefined ? undefined : decimal(usd)
  return csvLine([
    new Date(at).toISOString(),
    ...[id, keyId, names.get(keyId), model, outcome, status, code],
    ...[firstTokenMs, durationMs, promptTokens, completionTokens, cost],
  ])
}
