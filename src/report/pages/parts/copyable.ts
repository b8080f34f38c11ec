import { type Html, html } from '../../../markup/html.ts'

/** A text to be taken elsewhere, with a button that copies it where there is a script. */
export function copyable(text: string): Html {
  return html`<div class="copy"><pre tabindex="0">${text}</pre><button type="button" class="scripted-only">Copy</button></div>`
}
