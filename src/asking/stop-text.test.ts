import { expect, test } from 'vitest'
import type { CheckContext } from '../check/context.ts'
import type { Answer } from '../target/answer.ts'
import { afterDoubled, commonBorders, commonIn, commonPiece, earlyMisses, holdUncut } from './stop-text.ts'

test.each([
  ['every text', ['one two three four', 'five six seven eight'], ' '],
  ['two of three texts of chance', ['oneword', 'fire in the harbour', 'rain on the harbour'], ' '],
  ['the only text', ['abcde-abcdefgh'], 'e'],
  ['one text of three', ['oxoxoxox', 'a long text of many', 'uuu'], undefined],
  ['three texts of six', ['one two three four', 'five six seven eight', 'nine ten eleven', 'x', 'y', 'z'], ' '],
  ['two texts of six', ['one two three four', 'five six seven eight', 'w', 'x', 'y', 'z'], undefined],
  ['a text without the letters that are common elsewhere', ['日本語のテキストです、よろしく'], '日'],
  ['no text', [], undefined],
])('a stop sequence is taken from %s', (_, texts, expected) => {
  expect(commonIn(texts)).toBe(expected)
})

test('borders between fragments count where most texts go on after them', () => {
  const fragments = ['harbour', ' lamp', ' rain', ' boats']
  const texts = [fragments.join(''), 'rain on a lamp in the harbour', 'quite another text it is']
  expect(commonBorders({ fragments, texts })).toEqual(['r ', 'p '])
  expect(commonBorders({ fragments: ['all of it'], texts: ['all of it'] })).toEqual([])
})

test('a piece is common where at least two texts go on after it', () => {
  const shared = 'the tide comes in and goes out again'
  const texts = [
    `once upon a time ${shared} at night`,
    `it is said that ${shared} by day`,
    'nothing of that kind at all',
  ]
  const piece = commonPiece(texts, 20) ?? ''
  expect(piece).toHaveLength(20)
  expect(texts.filter((text) => text.includes(piece))).toHaveLength(2)
  expect(commonPiece(texts.slice(1), 20)).toBeUndefined()
})

test('letters after a doubled one are found only where they stand there first', () => {
  expect(afterDoubled('hello')).toEqual(['lo'])
  expect(afterDoubled('lo, hello')).toEqual([])
  expect(afterDoubled('harbour')).toEqual([])
})

test('no early miss is in a text', () => {
  const texts = ['here at the harbour', 'the old men of the sea']
  expect(earlyMisses(texts)).toEqual(['[a-z]+', '.*', 'E', 'e,t'])
  expect(earlyMisses([...texts, 'Everybody'])).toEqual(['[a-z]+', '.*', 'e,t'])
})

const plain = 'a text of which forty characters are more than enough'

/** Whether a text of each length comes for a request with the sequence, and without it. */
async function heldUncut(stopped: () => string, usual: () => string) {
  const proofs: unknown[] = []
  const ask = async (body: object) => {
    const content = 'stop' in body ? stopped() : usual()
    return { json: { choices: [{ message: { content } }] } } as Answer
  }
  const expectLength = (_: string, actual: number) => ({
    isAtLeast(least: number) {
      if (actual < least) throw new Error('cut short')
      proofs.push(actual)
    },
  })
  const context = { ask, expect: expectLength, undecidable: (why: string) => new Error(`undecidable: ${why}`) }
  const baseline = { body: { max_tokens: 64 }, texts: [plain, `${plain} today`] }
  await holdUncut(context as unknown as CheckContext, 'json', baseline, '.*')
  return proofs.length
}

test('a text that a careless search cuts each time fails', async () => {
  await expect(
    heldUncut(
      () => 'a',
      () => plain,
    ),
  ).rejects.toThrow('cut short')
})

test('a text that is brief once and then is not passes', async () => {
  const said = ['brief', plain]
  expect(
    await heldUncut(
      () => said.shift() ?? plain,
      () => plain,
    ),
  ).toBe(1)
})

test('a model that is brief without the sequence too is not decided', async () => {
  await expect(
    heldUncut(
      () => 'brief',
      () => 'brief',
    ),
  ).rejects.toThrow('undecidable')
})
