import { readFixture } from '../../../fixtures.ts'
import { Html, html } from '../../../markup/html.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'dim'

/** What a page says before anything else. */
export interface PageHead {
  /** What kind of page it is, such as `Conformance`. */
  readonly kind: string
  /** What it is about, such as an address. */
  readonly subject: string
  /** What it came to, in words. */
  readonly verdict: { readonly tone: Tone; readonly words: string }
  readonly facts: readonly (readonly [name: string, value: string])[]
}

/** One file that needs no network: style and script are within it; dark and light, fit for print, and readable without the script. */
export function renderPage(head: PageHead, body: Html): string {
  const script = html`<script>${new Html(readFixture('pages', 'page.js'))}</script>`
  return renderWith(html`<style>${new Html(pageStyle())}</style>`, head, body, script)
}

/** A page among others, which share the style in the file at this address, and have no script. */
export function renderSitePage(styleHref: string, head: PageHead, body: Html): string {
  return renderWith(html`<link rel="stylesheet" href="${styleHref}">`, head, body, html``)
}

function renderWith(style: Html, { kind, subject, verdict, facts }: PageHead, body: Html, script: Html): string {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${verdict.words}: ${subject}</title>
${style}</head>
<body><main><header><p class="kind">Assay · ${kind}</p><h1>${subject}</h1>
<p class="verdict ${verdict.tone}">${verdict.words}</p>
${facts.length > 0 && html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`}</header>
${body}</main>${script}</body></html>
`
  return page.text
}

/** The style of all pages, without its indentation and comments. */
export function pageStyle(): string {
  return readFixture('pages', 'page.css')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\n\s*/g, '')
}

/** A notice that stands out, above everything that it bears on. */
export function banner(tone: 'bad' | 'warn', words: string): Html {
  return html`<p class="banner ${tone}">${words}</p>`
}

/** Something to show only to those who ask for it. */
export function folded(summary: string, body: Html): Html {
  return html`<details class="more"><summary>${summary}</summary>${body}</details>`
}

/** A time as people read it; the text itself where it is none. */
export function timeOf(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? iso : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
