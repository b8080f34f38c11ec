import { type Html, html } from '../../../src/markup/html.ts'
import { type Cell, numbers } from '../../../src/markup/table.ts'
import { type FieldError, type Fields, textOf } from '../fields.ts'
import { count, moment, money } from '../figures.ts'
import type { KeyRow } from '../key-row.ts'
import type { NewKey } from '../new-key.ts'
import { type Frame, form, listTable, notice, type Page, rowsAPage } from './layout.ts'

const happened = {
  deleted: 'The key has been deleted. Requests with it are refused from now on.',
  changed: 'The key has been changed. Its new limits hold from the next request on.',
} as const

/** One page of an account's keys, the newest first. */
export interface KeysView {
  readonly rows: readonly KeyRow[]
  /** How many keys are newer than those of this page, and how many there are in all. */
  readonly from: number
  readonly total: number
  /** A key that was just created: the only time that its value is shown. */
  readonly made?: NewKey
  /** What has just happened to a key. */
  readonly done?: 'deleted' | 'changed'
  readonly error?: FieldError
  /** What was typed into the form that was refused. */
  readonly typed?: Fields
}

export function keysPage(frame: Frame, { rows, from, total, made, done, error, typed = {} }: KeysView): Page {
  const body = html`${done && notice('good', happened[done])}${made && shownOnce(made)}
${
  rows.length === 0
    ? html`<p>${total === 0 ? 'You have no keys yet.' : 'There are no keys here.'}</p>`
    : listTable(
        'Your keys',
        [...keyColumns, 'Delete'],
        rows.map((one) => row(frame, one)),
      )
}
${rows.length > 0 && html`<p><small>Open a key to rename it, to change its limits, or to rotate it.</small></p>`}
${total > rowsAPage && pages(frame, from, total)}
<section aria-labelledby="new"><h2 id="new">New key</h2>${error && notice('bad', error.message)}
${form(frame, '/keys', html`${keyFields(typed, error)}<button>Create key</button>`, 'New key')}</section>
`
  return { title: 'Keys', body, scripts: ['copy.js'] }
}

/** The fields of the terms of a key. */
export function keyFields(typed: Fields, error: FieldError | undefined): Html {
  const field = (name: string, more: Html): Html =>
    html`<input name="${name}" value="${textOf(typed, name)}"${more}${error?.field === name && html` aria-invalid="true"`}>`
  const limit = html` inputmode="numeric" placeholder="no limit"`
  return html`<label>Name ${field('name', html` maxlength="200" required`)}</label>
<div class="pair"><label>Requests per minute ${field('requestsPerMinute', limit)}</label>
<label>Tokens per minute ${field('tokensPerMinute', limit)}</label></div>`
}

function pages({ root }: Frame, from: number, total: number): Html {
  const older = from + rowsAPage
  return html`<nav class="pages" aria-label="Pages"><ul>${from > 0 && html`<li><a href="${root}/keys?from=${Math.max(0, from - rowsAPage)}">Newer</a></li>`}<li>${count(total)} keys</li>${older < total && html`<li><a href="${root}/keys?from=${older}">Older</a></li>`}</ul></nav>`
}

function shownOnce({ name, key, rotates }: NewKey): Html {
  return html`<section class="once" aria-labelledby="made"><h2 id="made">Your new key “${name}”</h2>
<p><code id="key">${key}</code> <button type="button" class="quiet" data-copy="key" hidden>Copy</button> <span role="status" data-copied></span></p>
${notice('note', 'Copy it now. It is not shown again: only its hash is stored.')}
${rotates !== undefined && html`<p>It has the name and the limits of <code>${rotates}</code>, which works until you delete it. Switch your programs to the new key, and see here when the old one was last used.</p>`}</section>`
}

function row({ root }: Frame, one: KeyRow): readonly Cell[] {
  const { id, name } = one.key
  return [
    html`<a href="${root}/keys/${id}">${name}</a>`,
    ...keyCells(one),
    html`<a href="${root}/keys/${id}/delete" aria-label="Delete ${name}">Delete</a>`,
  ]
}

export const keyColumns = [
  'Name',
  'Public id',
  'Created',
  'Last used',
  'Limits per minute',
  numbers('Requests'),
  numbers('Cost'),
] as const

/** What the columns after the name say. */
export function keyCells({ key, usage, lastUsed }: KeyRow): readonly Cell[] {
  const { id, createdAt, requestsPerMinute, tokensPerMinute } = key
  const limits = [
    requestsPerMinute !== undefined && `${count(requestsPerMinute)} requests`,
    tokensPerMinute !== undefined && `${count(tokensPerMinute)} tokens`,
  ].filter((one) => one !== false)
  return [
    html`<code>${id}</code>`,
    moment(createdAt),
    lastUsed ?? 'never',
    limits.join(', ') || 'none',
    count(usage.requests),
    money(usage.usd),
  ]
}
