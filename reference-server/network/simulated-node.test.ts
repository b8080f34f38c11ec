import { describe, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import type { FinishReason, Job } from './node.ts'
import { simulateNode } from './simulated-node.ts'
import { replyText } from './text.ts'
import { tokenize } from './tokens.ts'

const node = simulateNode(systemClock, { id: 'n', serves: ['small'], seed: 1, pace: 'instant' })
const messages = [{ role: 'user', content: 'Tell me  of \ud83d rain.' }] as const
const whole = replyText(messages, 1)

async function generate(change: Partial<Job> = {}) {
  const job = { model: 'small', messages, tokensMax: 4096, stop: [], temperature: 1, topP: 1, ...change }
  const fragments = node.generate(job, new AbortController().signal)
  let text = ''
  let tokens = 0
  let step = await fragments.next()
  for (; !step.done; step = await fragments.next()) {
    text += step.value.text
    tokens += step.value.tokens
  }
  const finishReason: FinishReason = step.value
  return { text, tokens, finishReason }
}

describe('simulateNode', () => {
  test('says the settled text, one token a fragment', async () => {
    expect(await generate()).toEqual({ text: whole, tokens: tokenize(whole).length, finishReason: 'stop' })
    expect(whole).toContain('You wrote: "Tell me  of \ufffd rain.". ')
    expect(whole).toMatch(/\b(\w+) \1\b/)
  })

  test('a reply that a limit cuts is the beginning of the whole one', async () => {
    for (let tokensMax = 1; tokensMax < 80; tokensMax += 1) {
      const { text, finishReason } = await generate({ tokensMax })
      expect([text, finishReason]).toEqual([tokenize(whole, tokensMax).join(''), 'length'])
    }
  })

  test('the text depends on every message', () => {
    const texts = new Set([
      whole,
      replyText([{ role: 'system', content: 'x' }, ...messages], 1),
      replyText([{ role: 'assistant', content: 'x' }, ...messages], 1),
      replyText(messages, 2),
    ])
    expect(texts.size).toBe(4)
  })

  test('says as many words as it is asked for', () => {
    const count = (prompt: string): number => replyText([{ role: 'user', content: prompt }], 1).split(/\s+/).length
    // The echo and the doubled word of every sentence come on top.
    for (const [asked, least, most] of [
      ['in 500 words', 500, 650],
      ['in 99999 words', 2000, 2500],
      ['at your ease', 40, 110],
    ] as const) {
      expect(count(`Tell a story ${asked}.`)).toBeGreaterThanOrEqual(least)
      expect(count(`Tell a story ${asked}.`)).toBeLessThan(most)
    }
  })

  test('stops at the limit, and says so only when more would have come', async () => {
    const count = tokenize(whole).length
    expect(await generate({ tokensMax: 7 })).toEqual({
      text: tokenize(whole).slice(0, 7).join(''),
      tokens: 7,
      finishReason: 'length',
    })
    expect((await generate({ tokensMax: count - 1 })).finishReason).toBe('length')
    expect((await generate({ tokensMax: count })).finishReason).toBe('stop')
  })

  test('counts the tokens up to the one that completed the stop sequence', async () => {
    const stopped = await generate({ stop: ['rote: "'] })
    expect(stopped).toEqual({ text: 'You w', tokens: 5, finishReason: 'stop' })
    expect(await generate({ stop: ['Y'] })).toEqual({ text: '', tokens: 1, finishReason: 'stop' })
  })

  test('flushes what was held back when the limit comes first', async () => {
    expect(await generate({ stop: ['You wrote; '], tokensMax: 2 })).toEqual({
      text: 'You wrote',
      tokens: 2,
      finishReason: 'length',
    })
  })
})
