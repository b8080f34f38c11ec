import type { CheckContext } from '../check/context.ts'
import { finding } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { contentOf, textOf } from '../target/answer.ts'
import type { Baseline } from './baseline.ts'

/** Expects no text after any of the sequences. Sound whatever the model says: it needs no determinism. */
export async function endsReply(
  { ask, expect }: CheckContext,
  { body }: Pick<Baseline, 'body'>,
  sequences: string | readonly string[],
  value: unknown,
): Promise<void> {
  const reply = await ask({ ...body, stop: value })
  const text = contentOf(reply) ?? ''
  for (const one of [sequences].flat())
    expect(`text after the stop sequence ${JSON.stringify(one)}`, textAfter(text, one), reply).is('')
}

export async function endsStream(
  { askStream, expect }: CheckContext,
  { body }: Pick<Baseline, 'body'>,
  sequences: string | readonly string[],
  value: unknown,
): Promise<void> {
  const stream = await askStream({ ...body, stop: value })
  for (const one of [sequences].flat())
    expect(`text streamed after the stop sequence ${JSON.stringify(one)}`, textAfter(stream.content, one), stream).is(
      '',
    )
}

/** A text is cut short if it has less than this share of the shortest plain one, and less than so many characters. */
const cutShare = 0.25
const cutChars = 40

/**
 * Expects a sequence that no text holds to cut no text short, in either mode. This needs no determinism: only a search that
 * finds the sequence where it is not ends each text at its beginning.
 */
export async function holdUncut(
  { ask, askStream, expect, undecidable }: CheckContext,
  mode: 'json' | 'stream',
  { body, texts }: Pick<Baseline, 'body' | 'texts'>,
  sequence: string,
): Promise<void> {
  const lengths = texts.map((text) => text.length)
  if (texts.length === 0) throw undecidable('no request for a text was served')
  if (Math.max(...lengths) < cutChars) throw undecidable('the model says something different each time, and too little')
  const least = Math.max(cutChars, Math.ceil(Math.min(...lengths) * cutShare))
  const send = mode === 'json' ? ask : askStream
  const stopped = { ...body, stop: [sequence] }
  let last = await send(stopped)
  const found = await finding(
    rules.cutShort,
    async (turn) => {
      if (turn > 0) last = await send(stopped)
      return textOf(last).length < least
    },
    async () => textOf(await send(body)).length < least,
  )
  if (found === 'chance') throw undecidable('the model says something different each time, and sometimes too little')
  const shown = `${JSON.stringify(sequence)}, which no text contains`
  expect(
    `characters with the stop sequence ${shown}, where plain texts have ${Math.min(...lengths)} to ${Math.max(...lengths)}`,
    textOf(last).length,
    last,
  ).isAtLeast(least)
}

/** What follows the first occurrence of a sequence; empty if it does not occur. */
export function textAfter(text: string, sequence: string): string {
  const found = text.indexOf(sequence)
  return found === -1 ? '' : text.slice(found + sequence.length)
}

export function commonCharacter({ undecidable }: CheckContext, { texts }: Baseline): string {
  const character = commonIn(texts)
  if (texts.length === 0) throw undecidable('no request for a text was served')
  if (character === undefined) throw undecidable('the model says too little for a stop sequence to show')
  return character
}

/** The character of two texts at least, and of two in five, with enough text after it to expose a gateway that ignores `stop`. */
export function commonIn(texts: readonly string[]): string | undefined {
  const countOf = (character: string) => texts.filter((text) => textAfter(text, character).length >= 8).length
  const letters = texts.flatMap((text) => text.match(/[\p{L}\p{N}]/gu) ?? [])
  const [most] = [...new Set([' ', ...'etaoinshr.,', ...letters])]
    .map((character) => ({ character, count: countOf(character) }))
    .toSorted((a, b) => b.count - a.count)
  const enough = Math.max(1, Math.min(2, texts.length), texts.length * 0.4)
  return most !== undefined && most.count >= enough ? most.character : undefined
}

/** Sequences of several words from the middle of a text that every text contains. */
export function phrases({ texts }: Pick<Baseline, 'texts'>): string[] {
  const [text = ''] = texts
  const words = [...text.matchAll(/\S+\s+\S+/g)].map(([phrase]) => phrase)
  const chosen = [words[Math.floor(words.length / 2)], words[Math.floor(words.length / 4)]?.slice(1, -1)]
  return chosen.filter(
    (one) =>
      one !== undefined &&
      one.length > 2 &&
      one.isWellFormed() &&
      texts.every((other) => textAfter(other, one).length > 0),
  ) as string[]
}

/** Some characters on each side of the border after a fragment. */
export function border(fragments: readonly string[], index: number, reach = 2): string | undefined {
  const left = Array.from(fragments[index] ?? '').slice(-reach)
  const right = Array.from(fragments[index + 1] ?? '').slice(0, reach)
  // A border may fall between the halves of a surrogate pair, which are whole again here.
  const both = [...left, ...right].join('')
  return left.length === 0 || right.length === 0 || !both.isWellFormed() ? undefined : both
}

/** Borders between fragments, of one character on each side, that most texts hold, and two at least: the commonest first. */
export function commonBorders({ fragments, texts }: Pick<Baseline, 'fragments' | 'texts'>): string[] {
  const found = new Set(fragments.map((_, index) => border(fragments, index, 1)).filter((one) => one !== undefined))
  return [...found]
    .map((one) => ({ one, count: texts.filter((text) => textAfter(text, one).length >= 8).length }))
    .filter(({ count }) => count >= 2 && count * 2 > texts.length)
    .toSorted((a, b) => b.count - a.count)
    .map(({ one }) => one)
}

/** The first piece of this length that at least half of the texts go on after, and two at least. */
export function commonPiece(texts: readonly string[], length: number): string | undefined {
  const enough = Math.max(2, texts.length / 2)
  for (const text of texts) {
    for (let start = 12; start + length < text.length; start += 1) {
      const piece = text.slice(start, start + length)
      if (piece.isWellFormed() && texts.filter((other) => textAfter(other, piece) !== '').length >= enough) return piece
    }
  }
  return undefined
}

/** Two letters of which the first is doubled before them, so that a search that never goes back misses them. */
export function afterDoubled(text: string): string[] {
  return [...text.matchAll(/(\w)(?=\1(\w))/g)].flatMap(({ 1: letter = '', 2: next = '', index }) =>
    next !== letter && text.indexOf(letter + next) === index + 1 ? [letter + next] : [],
  )
}

/** Sequences that a text does not contain but a careless search finds: a tail and more, another case, patterns, lists. */
export function nearMisses(text: string): string[] {
  const [first, second] = text.match(/[a-z]{4,}/g) ?? []
  const middle = Math.floor(text.length / 2)
  return [
    `${text.slice(-4)}\u0001`,
    `${text.slice(-1)}\u0001`,
    `${text.slice(middle, middle + 5)}\u0001`,
    first?.toUpperCase(),
    second === undefined ? undefined : `${first},${second}`,
    '[a-z]+',
    '.*',
    '\u0001',
  ].filter((one) => one !== undefined && !text.includes(one)) as string[]
}

/** Sequences that no text contains but a careless search finds at the beginning of any: patterns, another case, a list. */
export function earlyMisses(texts: readonly string[]): string[] {
  const all = texts.join('\n')
  const [most = 'e', next = 'a'] = [...'etaoinsr'].toSorted((a, b) => all.split(b).length - all.split(a).length)
  return ['[a-z]+', '.*', most.toUpperCase(), `${most},${next}`].filter((one) => !all.includes(one))
}
