import { type Html, html } from '../../src/markup/html.ts'
import { type PageHead, renderSitePage } from '../../src/report/pages/parts/page.ts'
import type { Column } from '../results.ts'

/** A page of the site; `depth` says how many folders it lies below the front page. */
export function sitePage(depth: 0 | 1, head: PageHead, body: Html): string {
  const up = depth === 0 ? '' : '../'
  const page = renderSitePage(`${up}page.css`, head, html`<p><a href="${up}index.html">All servers</a></p>${body}`)
  return page.replaceAll(/>[^<]+</g, withPlainQuotes)
}

/** Between tags a quote needs no escape, which would be a tenth of the site: its exchanges are JSON. */
function withPlainQuotes(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'")
}

/** A version's name in addresses. */
export function columnFile({ server, version }: Column): string {
  return `${server}-${version}.html`
}

export function columnName({ server, version }: Column): string {
  return `${server} ${version}`
}

/** Many versions in a line, which says the name of a server once. */
export function columnNames(columns: readonly Column[]): string {
  return [...Map.groupBy(columns, ({ server }) => server)]
    .map(([server, own]) => `${server} ${own.map(({ version }) => version).join(', ')}`)
    .join('; ')
}

/** Only what a table needs: much smaller than one that turns into cards on a phone. */
export function grid(head: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  const cells = (tag: string, row: readonly (Html | string)[]): Html =>
    tag === 'th' ? html`<tr>${row.map((cell) => html`<th>${cell}`)}` : html`<tr>${row.map((cell) => html`<td>${cell}`)}`
  return html`<div class="wide"><table>${cells('th', head)}${rows.map((row) => cells('td', row))}</table></div>`
}
