import { type Html, html, type Part } from '../../../src/markup/html.ts'
import { table } from '../../../src/markup/table.ts'
import type { Assets } from '../assets.ts'
import type { Visitor } from '../sessions.ts'

/** What every page needs. */
export interface Frame {
  readonly root: string
  readonly assets: Assets
  readonly visitor?: Visitor | undefined
  /** Proves that a form came from one of these pages. */
  readonly csrf: string
  /** The path of the page, which the navigation marks. */
  readonly path: string
}

export interface Page {
  readonly title: string
  readonly body: Html
  readonly scripts?: readonly ('copy.js' | 'playground.js' | 'plot.js' | 'operator.js')[]
  readonly styles?: readonly 'plot.css'[]
}

/** Names of the keys that still exist, by id. */
export type KeyNames = ReadonlyMap<string, string>

const ownerLinks = [
  ['', 'Overview'],
  ['/requests', 'Requests'],
  ['/keys', 'Keys'],
  ['/usage', 'Usage'],
  ['/ledger', 'Ledger'],
  ['/models', 'Models'],
  ['/playground', 'Playground'],
] as const

const operatorLinks = [
  ['/operator', 'Network'],
  ['/operator/health', 'Health'],
  ['/operator/accounts', 'Accounts'],
] as const

export function renderPage(frame: Frame, { title, body, scripts = [], styles = [] }: Page): string {
  const { assets } = frame
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Assay</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${assets.url('style.css')}">${styles.map((name) => html`<link rel="stylesheet" href="${assets.url(name)}">`)}
${scripts.map((name) => html`<script src="${assets.url(name)}" defer></script>`)}</head>
<body><a class="skip" href="#content">Skip to content</a>
<header>${navigation(frame)}</header>
<main id="content"><h1>${title}</h1>${body}</main>
<footer><small>The reference gateway of Assay. Payments are simulated.</small></footer></body></html>
`
  return page.text
}

function navigation(frame: Frame): Html {
  const { root, visitor, path } = frame
  if (visitor === undefined)
    return html`<nav aria-label="Main"><ul><li><strong>Assay</strong></li></ul><ul>${link(root, '/sign-in', 'Sign in', path)}${link(root, '/sign-up', 'Sign up', path)}</ul></nav>`
  const links = visitor.role === 'operator' ? operatorLinks : ownerLinks
  const who = visitor.role === 'operator' ? 'operator' : visitor.email
  return html`<nav aria-label="Main"><ul><li><strong>Assay</strong></li>${links.map(([to, name]) => link(root, to, name, path))}</ul>
<ul><li class="who">${who}</li><li>${form(frame, '/sign-out', html`<button class="quiet">Sign out</button>`)}</li></ul></nav>`
}

function link(root: string, to: string, name: string, path: string): Html {
  return html`<li><a href="${root}${to}"${path === to && html` aria-current="page"`}>${name}</a></li>`
}

/** A form that posts, with its proof that it comes from here. */
export function form({ root, csrf }: Frame, to: string, body: Html, name = ''): Html {
  return html`<form method="post" action="${root}${to}"${name !== '' && html` aria-label="${name}"`}><input type="hidden" name="_csrf" value="${csrf}">${body}</form>`
}

/** A message for the person who reads the page; screen readers announce it at once. */
export function notice(kind: 'good' | 'bad' | 'note', text: Part): Html {
  return html`<p class="notice ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`
}

export function select(
  label: string,
  name: string,
  values: readonly (readonly [value: string, name: string])[],
  chosen = '',
): Html {
  const options = values.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )
  return html`<label>${label} <select name="${name}">${options}</select></label>`
}

/** How many rows of a list a page shows: as cards on a phone they stay below 6,000 pixels, and the page below 30 kB. */
export const rowsAPage = 25

/** A table that scrolls sideways where it is too wide; on a phone each row is a card. */
export function dataTable(label: string, ...content: Parameters<typeof table>): Html {
  return scrolled('scroll', label, content)
}

/** A table of many rows: on a phone their cards name three values in a line. */
export function listTable(label: string, ...content: Parameters<typeof table>): Html {
  return scrolled('scroll list', label, content)
}

function scrolled(className: string, label: string, content: Parameters<typeof table>): Html {
  return html`<div class="${className}" tabindex="0" role="region" aria-label="${label}">${table(...content)}</div>`
}
