import { html } from '../../../src/markup/html.ts'
import { numbers } from '../../../src/markup/table.ts'
import { decimal } from '../../ledger/money.ts'
import type { Entry } from '../../store/store.ts'
import { csvLine } from '../csv.ts'
import { count, dollars, moment } from '../figures.ts'
import { type Frame, listTable, type Page } from './layout.ts'

/** One page of the books, the newest entry first. */
export function ledgerPage(frame: Frame, entries: readonly Entry[], isFirst: boolean): Page {
  const rows = entries.map(
    ({ number, at, kind, amount, usd, keyId, model, promptTokens = 0, completionTokens = 0, requestId }) => [
      number,
      moment(at),
      kind,
      html`${keyId !== undefined && html`<code>${keyId}</code> ${model}, ${count(promptTokens)} + ${count(completionTokens)} tokens`}${requestId !== undefined && html`<br><small><code>${requestId}</code></small>`}`,
      signed(amount),
      signed(usd, '$'),
    ],
  )
  const oldest = entries.at(-1)?.number ?? 0
  const body = html`<p>Every change to your balance, newest first. Lines are only ever added; their sum is the balance.</p>
${rows.length === 0 ? html`<p>There are no entries here.</p>` : listTable('Entries', ['No.', 'UTC', 'Kind', 'For', numbers("Network's token"), numbers('USD')], rows)}
<nav class="pages" aria-label="Pages"><ul>${!isFirst && html`<li><a href="${frame.root}/ledger">Newest</a></li>`}${oldest > 1 && html`<li><a href="${frame.root}/ledger?before=${oldest}">Older</a></li>`}</ul></nav>
<p><a href="${frame.root}/ledger.csv" download>Download as CSV</a></p>`
  return { title: 'Ledger', body }
}

export const ledgerCsvHead =
  'number,time,kind,request_id,key_id,model,prompt_tokens,completion_tokens,amount,amount_usd\r\n'

export function ledgerCsvLine(entry: Entry): string {
  const { number, at, kind, requestId, keyId, model, promptTokens, completionTokens, amount, usd } = entry
  const sums = [decimal(amount), decimal(usd)]
  return csvLine([
    number,
    new Date(at).toISOString(),
    kind,
    requestId,
    keyId,
    model,
    promptTokens,
    completionTokens,
    ...sums,
  ])
}

function signed(value: bigint, unit = ''): string {
  return value < 0n ? `−${unit}${dollars(-value)}` : `+${unit}${dollars(value)}`
}
