import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countTokens, tokenize } from './tokens.ts'

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\ud83d', '\ude00') }),
)

describe('tokenize', () => {
  test('cuts words, numbers, punctuation and other scripts', () => {
    expect(tokenize('Hello, wonderful  world!\n42 日\u{1f600}')).toEqual([
      'Hello',
      ',',
      ' wonde',
      'rful',
      ' ',
      ' world',
      '!',
      '\n42',
      ' ',
      '日',
      '\u{1f600}',
    ])
  })

  test('joined tokens are the text, and there are as many as counted', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = tokenize(text)
        expect(tokens.join('')).toBe(text)
        expect(countTokens(text)).toBe(tokens.length)
      }),
    )
  })

  test('well-formed text has well-formed tokens', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(tokenize(text.toWellFormed()).every((token) => token.isWellFormed() && token !== '')).toBe(true)
      }),
    )
  })

  test('counts a megabyte', () => {
    expect(countTokens('several words '.repeat(75_000))).toBe(75_000 * 3 + 1)
  })
})
