import type { Model } from '../../gateway/models.ts'
import { count } from '../figures.ts'
import { html } from '../html.ts'
import { type Page, table } from './layout.ts'

export function modelsPage(models: readonly (Model & { readonly isServed: boolean })[]): Page {
  const rows = models.map(
    ({ id, ownedBy, contextWindow, price, isServed }) =>
      html`<tr><th scope="row"><code>${id}</code></th><td>${ownedBy}</td><td>${count(contextWindow)}</td><td>$${price.toFixed(2)}</td><td><span class="${isServed ? 'up' : 'down'}">${isServed ? 'served' : 'no node serves it'}</span></td></tr>`,
  )
  const body = html`<p>Prices are in US dollars per million tokens, for prompt and reply alike.</p>
${table('Models', ['Model', 'Owner', 'Window (tokens)', 'Price', 'Now'], rows)}`
  return { title: 'Models', body }
}
