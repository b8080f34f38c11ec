import { expect, test } from 'vitest'
import type { Answer } from './answer.ts'
import { allowRefusalOfLength } from './refused-limit.ts'

const refusal = (text: string, status = 400) => ({ status, text }) as Answer
const prompt = (bytes: number) => ({ messages: [{ role: 'user', content: 'x'.repeat(bytes) }] })
const tooLong = "This model's maximum context length is 4096 tokens. However, your messages resulted in 6162 tokens."

test('a prompt that may be longer than the window may be refused as such', () => {
  expect(() => allowRefusalOfLength(refusal(tooLong), prompt(4000), 4096)).toThrow('longer than its window')
  expect(() => allowRefusalOfLength(refusal(tooLong), prompt(4000))).toThrow('longer than its window')
  expect(() => allowRefusalOfLength(refusal('Prompt is too long.', 413), prompt(4000))).toThrow(
    'longer than its window',
  )
})

test.each([
  ['another refusal', refusal('Too many messages.'), 4000, 4096],
  ['a prompt for which the window has room', refusal(tooLong), 4000, 32_768],
  ['a brief prompt', refusal(tooLong), 20, undefined],
  ['a prompt that looks for the end of the window', refusal(tooLong), 100_000, 32_768],
  ['a server error', refusal(tooLong, 500), 4000, 4096],
])('%s is no refusal of the length', (_, answer, bytes, window) => {
  expect(() => allowRefusalOfLength(answer, prompt(bytes), window)).not.toThrow()
})
