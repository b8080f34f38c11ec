import type { CheckContext } from '../check/context.ts'
import { contentOf } from '../target/answer.ts'
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

/** What follows the first occurrence of a sequence; empty if it does not occur. */
export function textAfter(text: string, sequence: string): string {
  const found = text.indexOf(sequence)
  return found === -1 ? '' : text.slice(found + sequence.length)
}

export function commonCharacter({ undecidable }: CheckContext, { texts }: Baseline): string {
  const character = commonIn(texts)
  if (character === undefined) throw undecidable('the model says too little for a stop sequence to show')
  return character
}

/** The character of most texts, of two at least, with enough text after it to expose a gateway that ignores `stop`. */
export function commonIn(texts: readonly string[]): string | undefined {
  const countOf = (character: string) => texts.filter((text) => textAfter(text, character).length >= 8).length
  const [most] = [' ', ...'etaoinshr.,']
    .map((character) => ({ character, count: countOf(character) }))
    .toSorted((a, b) => b.count - a.count)
  return most !== undefined && most.count >= Math.max(1, Math.min(2, texts.length)) ? most.character : undefined
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

/** Two characters on each side of the border after a fragment. */
export function border(fragments: readonly string[], index: number): string | undefined {
  const left = Array.from(fragments[index] ?? '').slice(-2)
  const right = Array.from(fragments[index + 1] ?? '').slice(0, 2)
  // A border may fall between the halves of a surrogate pair, which are whole again here.
  const both = [...left, ...right].join('')
  return left.length === 0 || right.length === 0 || !both.isWellFormed() ? undefined : both
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
