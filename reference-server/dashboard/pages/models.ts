import { html } from '../../../src/markup/html.ts'
import { numbers } from '../../../src/markup/table.ts'
import type { Model } from '../../gateway/models.ts'
import { count } from '../figures.ts'
import { dataTable, type Page } from './layout.ts'

export function modelsPage(models: readonly (Model & { readonly isServed: boolean })[]): Page {
  const rows = models.map(({ id, ownedBy, contextWindow, price, isServed }) => [
    html`<code>${id}</code>`,
    ownedBy,
    count(contextWindow),
    `$${price.toFixed(2)}`,
    html`<span class="${isServed ? 'up' : 'down'}">${isServed ? 'served' : 'no node serves it'}</span>`,
  ])
  const body = html`<p>Prices are in US dollars per million tokens, for prompt and reply alike.</p>
${dataTable('Models', ['Model', 'Owner', numbers('Window (tokens)'), numbers('Price'), 'Now'], rows)}`
  return { title: 'Models', body }
}
