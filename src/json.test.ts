import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

test('a value that is too deep to be walked through is not read', () => {
  expect(parseJson(nested(5001))).toBeUndefined()
  expect(parseJson(`[${nested(4999)},${nested(4999)}]`)).toHaveLength(2)
})

test('brackets in a text are no depth', () => {
  const text = `\\"${'['.repeat(6000)}`
  expect(parseJson(JSON.stringify({ text }))).toEqual({ text })
})
