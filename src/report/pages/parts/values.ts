import { type Html, html } from '../../../markup/html.ts'
import { shorten } from '../../../shorten.ts'

const wordsMax = 600

/** A JSON value as people read it: pairs as pairs, lists of plain values in a line, JSON within a text as what it holds. */
export function shownValue(value: unknown, depth = 0): Html {
  const inner = typeof value === 'string' ? jsonIn(value) : value
  if (isPlain(inner)) return html`<span>${plain(inner)}</span>`
  if (depth > 3) return html`<code>${shorten(JSON.stringify(inner) ?? '', wordsMax)}</code>`
  if (Array.isArray(inner)) {
    if (inner.every(isPlain)) return html`<span>${shorten(inner.map(plain).join(', ') || 'none', wordsMax)}</span>`
    return html`<ol>${inner.map((one) => html`<li>${shownValue(one, depth + 1)}</li>`)}</ol>`
  }
  const pairs = Object.entries(Object(inner))
  const deep = depth > 0 && ' deep'
  return html`<dl class="values${deep}">${pairs.map(([name, one]) => {
    const [words, unit] = inWords(name)
    return html`<dt>${words}</dt><dd>${shownValue(one, depth + 1)}${one !== null && unit}</dd>`
  })}</dl>`
}

/** How many values are shown; a long text counts for as many as would take its room. */
export function valuesIn(value: unknown): number {
  const inner = typeof value === 'string' ? jsonIn(value) : value
  if (typeof inner === 'string') return 1 + inner.length / 100
  if (isPlain(inner)) return 1
  return Object.values(Object(inner)).reduce((sum: number, one) => sum + valuesIn(one), 0)
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function plain(value: unknown): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  return shorten(value === null ? 'none' : String(value), wordsMax)
}

/** An object or a list that is written as a text; the text itself where it is none. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const units = { Ms: ' ms', Usd: ' USD', PerS: ' per second' } as const

/** `withWrongKey` as `with wrong key`, and `headMs` as `head` in ms; a name that is no such word, such as a field of JSON, as it is. */
function inWords(name: string): readonly [words: string, unit: string] {
  if (!/^[a-z]+(?:[A-Z][a-z]*)+$/.test(name)) return [name, '']
  const unit = Object.keys(units).find((ending): ending is keyof typeof units => name.endsWith(ending))
  const words = unit === undefined ? name : name.slice(0, -unit.length)
  return [words.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), unit === undefined ? '' : units[unit]]
}
