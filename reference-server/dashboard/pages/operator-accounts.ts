import { html } from '../../../src/markup/html.ts'
import { numbers } from '../../../src/markup/table.ts'
import { type Rate, toUsd } from '../../ledger/money.ts'
import type { Account } from '../../store/store.ts'
import { count, money } from '../figures.ts'
import type { KeyRow } from '../key-row.ts'
import { keyCells, keyColumns } from './keys.ts'
import { type Frame, listTable, type Page, rowsAPage } from './layout.ts'

/** One page of the open accounts, the newest first. */
export interface AccountsView {
  readonly rows: readonly { readonly account: Account; readonly keys: number }[]
  readonly rate: Rate
  /** What the names of those that are shown contain. */
  readonly named: string
  readonly from: number
  readonly hasOlder: boolean
}

export function operatorAccountsPage({ root }: Frame, { rows, rate, named, from, hasOlder }: AccountsView): Page {
  const address = `${root}/operator/accounts`
  const page = (first: number): string =>
    `${address}?${new URLSearchParams({ ...(named !== '' && { name: named }), from: String(first) })}`
  const columns = ['Name', 'Id', numbers('Balance'), numbers('Set aside'), numbers('Keys')]
  const cells = rows.map(({ account: { id, name, balance, held }, keys }) => [
    html`<a href="${address}/${encodeURIComponent(id)}">${name}</a>`,
    html`<code>${id}</code>`,
    money(toUsd(balance, rate)),
    money(toUsd(held, rate)),
    count(keys),
  ])
  const body = html`<form class="filters" method="get" action="${address}" aria-label="Find accounts"><label>Name contains <input type="search" name="name" value="${named}"></label><button class="quiet">Show</button></form>
${rows.length === 0 ? html`<p>No open account fits.</p>` : listTable('Accounts', columns, cells)}
<nav class="pages" aria-label="Pages"><ul>${from > 0 && html`<li><a href="${page(Math.max(0, from - rowsAPage))}">Newer</a></li>`}${hasOlder && html`<li><a href="${page(from + rowsAPage)}">Older</a></li>`}</ul></nav>`
  return { title: 'Accounts', body }
}

/** An account and its newest keys. */
export interface AccountView {
  readonly account: Account
  readonly rate: Rate
  readonly rows: readonly KeyRow[]
}

export function operatorAccountPage({ root }: Frame, { account, rate, rows }: AccountView): Page {
  const { id, name, balance, held } = account
  const cells = rows.slice(0, rowsAPage).map((one) => [one.key.name, ...keyCells(one)])
  const body = html`<p><a href="${root}/operator/accounts">All accounts</a></p>
<dl class="figures"><div><dt>Balance</dt><dd>${money(toUsd(balance, rate))}</dd></div>
<div><dt>Set aside for requests in flight</dt><dd>${money(toUsd(held, rate))}</dd></div>
<div><dt>Keys</dt><dd>${count(rows.length)}</dd></div></dl>
<p>Account <code>${id}</code></p>
<h2>Keys</h2>
${rows.length === 0 ? html`<p>It has no keys.</p>` : listTable('Keys', keyColumns, cells)}
${rows.length > rowsAPage && html`<p>The newest ${count(rowsAPage)} of ${count(rows.length)} keys.</p>`}`
  return { title: `Account ${name}`, body }
}
