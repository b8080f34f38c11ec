import { html } from '../../../src/markup/html.ts'
import type { KeyRecord } from '../../store/store.ts'
import type { FieldError, Fields } from '../fields.ts'
import { keyFields } from './keys.ts'
import { type Frame, form, notice, type Page } from './layout.ts'

/** A key to be changed. */
export interface KeyView {
  readonly key: KeyRecord
  readonly error?: FieldError
  /** What was typed into the form that was refused. */
  readonly typed?: Fields
}

/** What an owner does with one key: change, rotate, delete. */
export function keyPage(frame: Frame, { key, error, typed = fieldsOf(key) }: KeyView): Page {
  const { id, name } = key
  const body = html`<p>Public id <code>${id}</code></p>
<section aria-labelledby="change"><h2 id="change">Name and limits</h2>${error && notice('bad', error.message)}
${form(frame, `/keys/${id}`, html`${keyFields(typed, error)}<div class="buttons"><button>Save</button><a href="${frame.root}/keys">Leave it as it is</a></div>`, 'Change the key')}</section>
<section aria-labelledby="rotate"><h2 id="rotate">Rotate</h2><p>Creates a new key with the same name and limits. <strong>${name}</strong> works until you delete it, so that your programs can
change over one by one.</p>
${form(frame, `/keys/${id}/rotate`, html`<button>Create the new key</button>`, 'Rotate the key')}</section>
<section aria-labelledby="delete"><h2 id="delete">Delete</h2><p><a href="${frame.root}/keys/${id}/delete">Delete the key</a>: it is refused from then on.</p></section>`
  return { title: `Key ${name}`, body }
}

function fieldsOf({ name, requestsPerMinute, tokensPerMinute }: KeyRecord): Fields {
  const text = (limit: number | undefined): string => (limit === undefined ? '' : String(limit))
  return { name, requestsPerMinute: text(requestsPerMinute), tokensPerMinute: text(tokensPerMinute) }
}

export function deleteKeyPage(frame: Frame, { id, name }: KeyRecord): Page {
  const body = html`<p>Every request with <strong>${name}</strong> (<code>${id}</code>) is refused from the moment you confirm, even on open connections.
A reply in progress is finished and charged. This cannot be undone.</p>
${form(frame, `/keys/${id}/delete`, html`<button class="danger">Delete the key</button> <a href="${frame.root}/keys">Keep it</a>`, 'Delete the key')}`
  return { title: 'Delete a key', body }
}
