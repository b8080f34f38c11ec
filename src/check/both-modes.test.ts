import { expect, test } from 'vitest'
import type { Answer, StreamAnswer } from '../target/answer.ts'
import { inBothModes } from './both-modes.ts'

const body = { messages: [], max_tokens: 8 }

/** A model that says these in turn, whatever it is asked. */
function saying(...texts: readonly string[]) {
  let asked = 0
  const next = (): string => texts[asked++ % texts.length] ?? ''
  return {
    probe: async () => ({ json: { choices: [{ message: { content: next() } }] } }) as Answer,
    probeStream: async () => ({ status: 200, content: next() }) as StreamAnswer,
  }
}

test.each([
  ['two texts in turn', ['one', 'two']],
  ['nothing every second time', ['one', '']],
  ['nothing every third time', ['one', '', 'one']],
  ['something every third time', ['one', '', '']],
  ['nothing once', ['one', '', 'two', 'one', 'one', 'three']],
  ['nothing to replies and something to streams, six times by chance,', ['', 'one', 'one', '', '', 'one']],
  ['one text to replies and another to streams, six times by chance,', ['one', 'two', 'two', 'one', 'one', 'two']],
  ['less of a text, once', ['one text of some length', 'one text of', ...Array(10).fill('one text of some length')]],
  ['three texts in turn', ['one', 'two', 'three']],
])('a model that says %s may differ by itself', async (_, texts) => {
  expect(await inBothModes(saying(...texts), body)).toBeUndefined()
})

test('texts that differ by their mode are told', async () => {
  const { probe } = saying('one')
  for (const other of ['two', '']) {
    const both = await inBothModes({ probe, probeStream: saying(other).probeStream }, body)
    expect([both?.text, both?.stream.content]).toEqual(['one', other])
  }
})

test('equal texts are told at once', async () => {
  const both = await inBothModes(saying('same', 'same', 'other'), body)
  expect(both?.text).toBe('same')
})
