import { type Html, html } from '../../../markup/html.ts'

/** A sentence in which names between backticks are code. */
export function inline(text: string): Html {
  const parts = text.split('`')
  // A backtick without its fellow is only a character.
  if (parts.length % 2 === 0) return html`${text}`
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`
}
