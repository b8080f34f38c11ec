import { expect, test } from 'vitest'
import { inAscii, spacedOut } from './json-forms.ts'

const value = { text: 'Zoë "日本語" 👩‍🚀 {"a": [1, 2]} \\ \u2028', list: [1, { deep: null }] }
const json = JSON.stringify(value)

test('JSON in ASCII has the same value', () => {
  expect(inAscii(json)).toMatch(/^[ -~]+$/)
  expect(JSON.parse(inAscii(json))).toEqual(value)
})

test('JSON with white space has the same value, and its texts keep theirs', () => {
  expect(spacedOut(json)).toContain('"list" \t:\r\n  \t[\r\n 1')
  expect(JSON.parse(spacedOut(json))).toEqual(value)
})
