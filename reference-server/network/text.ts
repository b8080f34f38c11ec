import { hash } from 'node:crypto'
import type { Message } from './node.ts'
import { type Prng, prng } from './prng.ts'
import { words } from './words.ts'

const ECHO_LENGTH_MAX = 200
const WORDS_MIN = 40
const WORDS_MAX = 70
const WORDS_ASKED_MAX = 2000

/**
 * The reply to a conversation, which depends only on the seed and the messages: the whole of it, or a beginning of at least
 * `lengthMin` characters.
 */
export function replyText(messages: readonly Message[], seed: number, lengthMin = Number.POSITIVE_INFINITY): string {
  const chance = prng(seedOf(messages, seed))
  const last = messages.findLast(({ role }) => role === 'user')?.content
  const usual = WORDS_MIN + chance.below(WORDS_MAX - WORDS_MIN + 1)
  return ramble(echo(last), chance, wordsAsked(last) ?? usual, lengthMin)
}

/** A prompt that asks for `300 words` gets them. */
function wordsAsked(prompt = ''): number | undefined {
  const asked = /\b(\d{1,5}) words\b/.exec(prompt)?.[1]
  return asked === undefined ? undefined : Math.min(Number(asked), WORDS_ASKED_MAX)
}

function seedOf(messages: readonly Message[], seed: number): number {
  const said = messages.map(({ role, content }) => `\n${role} ${content.length}\n${content}`)
  return Number.parseInt(hash('sha256', seed + said.join('')).slice(0, 8), 16)
}

/** Lone surrogates of the client's text must not reach a reply, which is UTF-8. */
function echo(prompt: string | undefined): string {
  if (prompt === undefined) return 'You wrote nothing yet. '
  const start = prompt.slice(0, 2 * ECHO_LENGTH_MAX).toWellFormed()
  const echoed = start.length <= ECHO_LENGTH_MAX ? start : [...start].slice(0, ECHO_LENGTH_MAX).join('')
  return `You wrote: "${echoed}". `
}

/** Goes on with sentences of seeded words. The third word of each is doubled, so that every reply repeats itself somewhere. */
function ramble(beginning: string, chance: Prng, count: number, lengthMin: number): string {
  let text = beginning
  for (let left = count; left > 0 && text.length < lengthMin; ) {
    const length = Math.min(left, sentenceLength(chance))
    left -= length
    text += sentence(chance, length) + (left === 0 ? '.' : sentenceEnd(chance))
  }
  return text
}

function sentence(chance: Prng, length: number): string {
  let text = ''
  for (let index = 0; index < length; index += 1) {
    const word = words[chance.below(words.length)] ?? 'word'
    const gap = chance.below(9) === 0 ? ', ' : ' '
    text += index === 0 ? capital(word) : gap + word
    if (index === 2) text += ` ${word}`
  }
  return text
}

function sentenceLength(chance: Prng): number {
  return 5 + chance.below(8)
}

function sentenceEnd(chance: Prng): string {
  const mark = ['.', '.', '.', '!', '?', '...'][chance.below(6)] ?? '.'
  return mark + (chance.below(4) === 0 ? '\n' : ' ')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
