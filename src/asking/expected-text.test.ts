import { expect, test } from 'vitest'
import { createExpect, Mismatch } from '../check/expect.ts'
import type { Answer, StreamAnswer } from '../target/answer.ts'
import { holdExpectedText } from './expected-text.ts'

const text = 'Lamps swing over wet stones, and three boats knock against the pier.'
const cut = text.slice(0, 40)
const other = 'It rains.'

/** Judges a target that answers the plain request and the changed one with these texts, each in turn. */
async function verdictOn(plain: readonly string[], changed: readonly string[], mode: 'json' | 'stream' = 'json') {
  const asked = { plain: 0, changed: 0 }
  const say = (body: unknown): string => {
    const isChanged = typeof body === 'object' && body !== null && 'stop' in body
    return (isChanged ? changed[asked.changed++ % changed.length] : plain[asked.plain++ % plain.length]) ?? ''
  }
  const context = {
    expect: createExpect(() => {}),
    undecidable: (reason: string) => new Error(reason),
    ask: async (body: unknown) => ({ json: { choices: [{ message: { content: say(body) } }] } }) as Answer,
    askStream: async (body: unknown) => ({ content: say(body) }) as StreamAnswer,
  }
  const expectedText = { what: 'text', body: {}, plain: text, change: { stop: 'never' }, expected: text }
  return holdExpectedText(context, mode, expectedText).then(
    () => 'held',
    (error: unknown) => (error instanceof Mismatch ? 'failed' : 'undecided'),
  )
}

test.each(['json', 'stream'] as const)('a text that is cut each time fails (%s)', async (mode) => {
  expect(await verdictOn([text], [cut], mode)).toBe('failed')
  expect(await verdictOn([text], [text], mode)).toBe('held')
})

test.each([
  ['a text is cut more often than not', [text], [cut, cut, text]],
  ['one of two nodes cuts a text', [text], [cut, text]],
  ['a text is emptied', [text], ['']],
  ['a text goes on', [text], [`${text} And so on.`]],
])('the check fails when %s and the plain text never changes', async (_, plain, changed) => {
  expect(await verdictOn(plain, changed)).toBe('failed')
})

test.each([
  ['says two texts in turn', [other, text], [other, text]],
  ['sometimes says another text', [text, text, text, other], [other, text, text, text]],
  ['sometimes says nothing', [text, text, text, ''], ['', text, text, text]],
  ['says less one time in three', [text, text, cut], [cut, text, text]],
  ['says less as often as not', [text, cut], [cut, text]],
  ['derives its text from the whole request', [text], [other]],
  ['is seldom shorter, but was so the first time', [text], [cut, text, text, text]],
])('a model that %s leaves it undecided', async (_, plain, changed) => {
  expect(await verdictOn(plain, changed)).toBe('undecided')
})
