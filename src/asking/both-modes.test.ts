import { expect, test } from 'vitest'
import type { Answer, StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { inBothModes } from './both-modes.ts'

const body = { messages: [], max_tokens: 8 }

/** A model that says these in turn, whatever the request. */
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
  ['nothing two times in three', ['one', '', '']],
  ['nothing once', ['one', '', 'two', 'one', 'one', 'three']],
  ['by chance nothing in replies and something in streams, six times,', ['', 'one', 'one', '', '', 'one']],
  ['by chance one text in replies and another in streams, six times,', ['one', 'two', 'two', 'one', 'one', 'two']],
  ['three texts in turn', ['one', 'two', 'three']],
  ['a new number in each text', Array.from({ length: 60 }, (_, turn) => `what was said, number ${turn}`)],
])('a model that says %s may vary by itself', async (_, texts) => {
  expect(await inBothModes(saying(...texts), body)).toBeUndefined()
})

test('a model that differs once is asked again', async () => {
  const both = await inBothModes(
    saying('one text of some length', 'one text of', ...Array(10).fill('one text of some length')),
    body,
  )
  expect([both?.text, both?.stream.content]).toEqual(['one text of some length', 'one text of some length'])
})

test('a model that chooses its words at random is asked at temperature 0', async () => {
  let drawn = 0
  const textOf = (asked: unknown): string => ((asked as ChatBody)['temperature'] === 0 ? 'one' : `${drawn++} drawn`)
  const probe = async (asked: unknown) => ({ json: { choices: [{ message: { content: textOf(asked) } }] } }) as Answer
  const probeStream = async (asked: unknown) => ({ status: 200, content: `${textOf(asked)}?` }) as StreamAnswer
  const both = await inBothModes({ probe, probeStream }, body)
  expect([both?.text, both?.stream.content]).toEqual(['one', 'one?'])
})

test('a model that chooses its words at random at temperature 0 too is asked with a seed', async () => {
  let drawn = 0
  const textOf = (asked: unknown): string => ('seed' in (asked as ChatBody) ? 'one' : `${drawn++} drawn`)
  const probe = async (asked: unknown) => ({ json: { choices: [{ message: { content: textOf(asked) } }] } }) as Answer
  const probeStream = async (asked: unknown) => ({ status: 200, content: textOf(asked) }) as StreamAnswer
  expect((await inBothModes({ probe, probeStream }, body))?.text).toBe('one')
})

test('texts that differ between the modes are reported', async () => {
  const { probe } = saying('one')
  for (const other of ['two', '']) {
    const both = await inBothModes({ probe, probeStream: saying(other).probeStream }, body)
    expect([both?.text, both?.stream.content]).toEqual(['one', other])
  }
})

test('an ending that only one mode adds is reported', async () => {
  const { probe } = saying('what was said')
  const both = await inBothModes({ probe, probeStream: saying('what was said and so on').probeStream }, body)
  expect(both?.stream.content).toBe('what was said and so on')
})

test('equal texts are reported at once', async () => {
  const both = await inBothModes(saying('same', 'same', 'other'), body)
  expect(both?.text).toBe('same')
})
