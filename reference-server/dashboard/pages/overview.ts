import { html } from '../../../src/markup/html.ts'
import { type Rate, toUsd } from '../../ledger/money.ts'
import type { BookedRequest } from '../../store/request-log.ts'
import type { Account, DayUsage } from '../../store/store.ts'
import type { FieldError } from '../fields.ts'
import { dollars, money } from '../figures.ts'
import { type Frame, form, type KeyNames, notice, type Page } from './layout.ts'
import { requestsTable } from './requests.ts'
import { timesOf } from './usage.ts'
import { timedByDay, usageChart } from './usage-chart.ts'

export interface Overview {
  readonly account: Account
  readonly rate: Rate
  readonly keys: number
  /** Of all days, the newest first. */
  readonly usage: readonly DayUsage[]
  /** The newest requests; absent where no log is kept. */
  readonly newest?: readonly BookedRequest[]
  readonly names: KeyNames
  readonly nowMs: number
  /** What has just happened. */
  readonly done?: 'opened' | 'funded'
  readonly error?: FieldError
  /** The amount that was refused. */
  readonly typed?: string
}

/** To the fourth decimal, as dollars are shown. */
function inTokens(amount: bigint): string {
  return dollars(amount - (amount % 100_000_000n))
}

/** How many days the overview looks back. */
const DAYS = 7

export function overviewPage(frame: Frame, view: Overview): Page {
  const { account, rate, keys, usage, newest, names, nowMs, done, error, typed = '' } = view
  const { balance, held } = account
  const free = toUsd(balance, rate)
  const days = timesOf(DAYS, nowMs)
  const ofDays = usage.filter(({ day }) => day >= (days[0] ?? ''))
  const spent = ofDays.reduce((sum, { usd }) => sum + usd, 0n)
  const body = html`${done === 'opened' && notice('good', `Your account is open, with $${dollars(free)} of free credit to spend.`)}
${done === 'funded' && notice('good', 'The credit has been added. No money has moved: payments are simulated.')}
<dl class="figures"><div><dt>Balance</dt><dd id="balance">${money(free)}</dd></div>
<div><dt>In the network's token, at $${dollars(rate)} each</dt><dd>${inTokens(balance)}</dd></div>
<div><dt>Spent in the last ${DAYS} days</dt><dd>${money(spent)}</dd></div>
<div><dt>Set aside for requests in flight</dt><dd>${money(toUsd(held, rate))}</dd></div>
<div><dt>Keys</dt><dd>${keys}</dd></div></dl>
${spent > free && notice('bad', `At the pace of the last ${DAYS} days, the balance lasts for ${hoursLeft(free, spent)}.`)}
${keys === 0 && html`<p><a href="${frame.root}/keys">Create a key</a> to send requests.</p>`}
${usage.length > 0 && html`<section aria-label="Usage">${usageChart(ofDays.map(timedByDay), days, 'cost', ({ model }) => model)}<p><a href="${frame.root}/usage">All usage</a></p></section>`}
${newest !== undefined && newest.length > 0 && html`<section aria-labelledby="newest"><h2 id="newest">Newest requests</h2>${requestsTable('Requests', newest, names)}<p><a href="${frame.root}/requests">All requests</a></p></section>`}
<section aria-labelledby="fund"><h2 id="fund">Add credit</h2>
${notice('note', 'This is a simulated payment: nobody is charged.')}${error && notice('bad', error.message)}
${form(
  frame,
  '/fund',
  html`<label>Amount in USD <input name="amount" value="${typed}" inputmode="decimal" pattern="\\d{1,6}(\\.\\d{1,2})?" placeholder="10.00" required${error && html` aria-invalid="true"`}></label><button>Simulate the payment</button>`,
  'Add credit',
)}</section>`
  return { title: 'Overview', body }
}

/** How long what is left lasts, in whole hours or days. */
function hoursLeft(free: bigint, spent: bigint): string {
  const hours = Number((free * BigInt(DAYS * 24)) / spent)
  const [count, unit] = hours < 48 ? [hours, 'hour'] : [Math.floor(hours / 24), 'day']
  return `about ${count} ${unit}${count === 1 ? '' : 's'}`
}
