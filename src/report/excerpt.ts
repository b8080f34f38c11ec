import type { Failure } from '../check/verdict.ts'
import { countOf } from '../count.ts'
import { parseJson } from '../json.ts'
import { shorten } from '../shorten.ts'

/** Part of a body, in three pieces: what the failure speaks of is the one in the middle, which is empty where it is not found. */
export interface Excerpt {
  readonly before: string
  readonly marked: string
  readonly after: string
}

/**
 * What to show of a body of which a failure speaks: all of it if it is short, else what surrounds the place of the failure, or
 * its beginning and its end where the place is not known, since what is missing is missing there.
 */
export function excerptAround(body: string, failure: Pick<Failure, 'what' | 'actual'>, charsMax: number): Excerpt {
  const place = placeOf(body, failure)
  if (place === undefined) return { before: headAndTail(body, charsMax), marked: '', after: '' }
  const marked = body.slice(place.start, place.end)
  const before = body.slice(0, place.start)
  const after = body.slice(place.end)
  if (body.length <= charsMax) return { before, marked, after }
  const room = Math.ceil(Math.max(0, charsMax - marked.length) / 2)
  return {
    before: before.length > room ? `…${before.slice(before.length - room)}` : before,
    marked: shorten(marked, charsMax),
    after: after.length > room ? `${after.slice(0, room)}…\n${sizeOf(body)}` : after,
  }
}

/** How much of a long body's part is its beginning; the rest is its end. */
const headShare = 0.65

function headAndTail(body: string, charsMax: number): string {
  if (body.length <= charsMax) return body
  const head = Math.round(charsMax * headShare)
  return `${body.slice(0, head)}…\n${sizeOf(body)}\n…${body.slice(body.length - (charsMax - head))}`
}

function sizeOf(body: string): string {
  return `(${countOf(body.length, 'character')} in all)`
}

interface Place {
  readonly start: number
  readonly end: number
}

/**
 * Where a body holds what was found: as the value of a field that the failure names, else as a text that stands there once and
 * is long enough to tell. A value that may stand anywhere, such as `false`, is looked for only in such a field.
 */
function placeOf(body: string, { what, actual }: Pick<Failure, 'what' | 'actual'>): Place | undefined {
  const fields = (what.match(/[a-z_]+/g) ?? []).map((field) => fieldIn(body, field, actual))
  return [...fields, ...textsIn(actual).map((text) => onlyPlaceOf(body, text))].find((place) => place !== undefined)
}

/** The first place of a JSON field with this value. */
function fieldIn(body: string, field: string, value: string): Place | undefined {
  for (const { 0: name, index } of body.matchAll(new RegExp(`"${field}"\\s*:\\s*`, 'g'))) {
    const end = index + name.length + value.length
    if (body.startsWith(value, index + name.length) && !/[\w.]/.test(body[end] ?? '')) return { start: index, end }
  }
  return undefined
}

function onlyPlaceOf(body: string, text: string): Place | undefined {
  const start = body.indexOf(text)
  return start === -1 || body.includes(text, start + 1) ? undefined : { start, end: start + text.length }
}

/** A shorter text may stand anywhere. */
const tellingChars = 4

const wordsOfAnyBody: ReadonlySet<string> = new Set(['true', 'false', 'null', 'nothing'])

/** The texts that what was found may stand for in a body: itself, and the texts that it quotes, with and without escapes. */
function textsIn(actual: string): readonly string[] {
  // What is too long is shown in part.
  const shown = actual.replace(/^…/, '').replace(/…(?: \(\d+ characters\))?$/, '')
  const quoted = [...shown.matchAll(/"((?:[^"\\]|\\.)*)(?:"|$)/g)].flatMap(([, inside = '']) => [
    inside,
    String(parseJson(`"${inside}"`) ?? inside),
  ])
  return [shown, ...quoted].filter(
    (text) => text.length >= tellingChars && /[^\d.]/.test(text) && !wordsOfAnyBody.has(text),
  )
}
