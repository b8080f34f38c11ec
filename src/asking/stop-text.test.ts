import { expect, test } from 'vitest'
import { commonIn } from './stop-text.ts'

test.each([
  ['every text', ['one two three four', 'five six seven eight'], ' '],
  ['two of three texts of chance', ['oneword', 'fire in the harbour', 'rain on the harbour'], ' '],
  ['the only text', ['abcde-abcdefgh'], 'e'],
  ['one text of three', ['oxoxoxox', 'a long text of many', 'uuu'], undefined],
  ['no text', [], undefined],
])('a stop sequence is taken from %s', (_, texts, expected) => {
  expect(commonIn(texts)).toBe(expected)
})
