import { html } from '../../../src/markup/html.ts'
import { type Rate, toUsd } from '../../ledger/money.ts'
import type { Account } from '../../store/store.ts'
import type { FieldError } from '../fields.ts'
import { dollars, money } from '../figures.ts'
import { type Frame, form, notice, type Page } from './layout.ts'

export interface Overview {
  readonly account: Account
  readonly rate: Rate
  readonly keys: number
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

export function overviewPage(frame: Frame, { account, rate, keys, done, error, typed = '' }: Overview): Page {
  const { balance, held } = account
  const free = toUsd(balance, rate)
  const body = html`${done === 'opened' && notice('good', `Your account is open, with $${dollars(free)} of free credit to spend.`)}
${done === 'funded' && notice('good', 'The credit has been added. No money has moved: payments are simulated.')}
<dl class="figures"><div><dt>Balance</dt><dd id="balance">${money(free)}</dd></div>
<div><dt>In the network's token, at $${dollars(rate)} each</dt><dd>${inTokens(balance)}</dd></div>
<div><dt>Set aside for requests in flight</dt><dd>${money(toUsd(held, rate))}</dd></div>
<div><dt>Keys</dt><dd>${keys}</dd></div></dl>
${keys === 0 && html`<p><a href="${frame.root}/keys">Create a key</a> to send requests.</p>`}
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
