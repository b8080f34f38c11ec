import { expect, test } from 'vitest'
import { inAscii, widely } from './json-forms.ts'

const value = { text: 'Zoë "日本語" 👩‍🚀 {"a": [1, 2]} \\ \u2028', list: [1, { deep: null }] }
const json = JSON.stringify(value)

test('JSON in ASCII says the same', () => {
  expect(inAscii(json)).toMatch(/^[ -~]+$/)
  expect(JSON.parse(inAscii(json))).toEqual(value)
})

test('JSON with white space says the same, and its texts keep theirs', () => {
  expect(widely(json)).toContain('"list" \t:\r\n  \t[\r\n 1')
  expect(JSON.parse(widely(json))).toEqual(value)
})
