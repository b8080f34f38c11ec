import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GatewayError } from './gateway-error.ts'
import { parseJsonBody, readChatRequest } from './request.ts'

const least = { model: 'small', messages: [{ role: 'user', content: 'Hi' }] }

function refusal(change: object): GatewayError | undefined {
  try {
    readChatRequest({ ...least, ...change })
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  return undefined
}

describe('readChatRequest', () => {
  test('fills in defaults', () => {
    const { tokensMax, ...request } = readChatRequest(least)
    expect(tokensMax).toBeUndefined()
    expect(request).toEqual({ ...least, temperature: 1, topP: 1, stream: false, includeUsage: false, stop: [] })
  })

  test('counts null as absent, and lets unknown fields pass', () => {
    const nulls = { temperature: null, top_p: null, max_tokens: null, stream: null, stop: null, stream_options: null }
    expect(readChatRequest({ ...least, ...nulls, user: 1, stream_options: 'x' })).toEqual(readChatRequest(least))
  })

  test.each([
    { temperature: 0 },
    { temperature: 2 },
    { temperature: -0 },
    { top_p: 0 },
    { top_p: 1 },
    { max_tokens: 1 },
    { max_tokens: 5.0 },
    { max_tokens: 2 ** 53 },
    { max_tokens: 1e308 },
    { stop: 'a' },
    { stop: ['a', 'b', 'c', 'd'] },
    { stream: true },
    {
      messages: [
        { role: 'system', content: '' },
        { role: 'assistant', content: '\ud83d\u0000' },
      ],
    },
  ])('accepts %j', (change) => {
    expect(refusal(change)).toBeUndefined()
  })

  test.each([
    [{ model: undefined }, 'model'],
    [{ model: 5 }, 'model'],
    [{ model: '' }, 'model'],
    [{ messages: undefined }, 'messages'],
    [{ messages: 'Hi' }, 'messages'],
    [{ messages: [] }, 'messages'],
    [{ messages: [null] }, 'messages[0]'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ messages: [{ role: 'robot', content: '' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    [{ temperature: -0.001 }, 'temperature'],
    [{ temperature: 2.001 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ temperature: Number.POSITIVE_INFINITY }, 'temperature'],
    [{ temperature: true }, 'temperature'],
    [{ top_p: 1.001 }, 'top_p'],
    [{ top_p: -1e-9 }, 'top_p'],
    [{ top_p: [] }, 'top_p'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ max_tokens: '5' }, 'max_tokens'],
    [{ stream: 'true' }, 'stream'],
    [{ stream: 1 }, 'stream'],
    [{ stop: '' }, 'stop'],
    [{ stop: [] }, 'stop'],
    [{ stop: ['a', ''] }, 'stop[1]'],
    [{ stop: 1 }, 'stop'],
    [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ stop: [1] }, 'stop[0]'],
  ])('refuses %j and names the field', (change, param) => {
    const error = refusal(change)
    expect(error?.status).toBe(400)
    expect(error?.param).toBe(param)
    expect(error?.message).toContain(param)
  })

  test('never throws anything but a 400, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => readChatRequest(value)).toThrow(GatewayError)
      }),
    )
  })
})

describe('parseJsonBody', () => {
  test.each(['', '{', '{"a":1}}', 'NaN', '"\ud83d'])('refuses %j', (text) => {
    expect(() => parseJsonBody(Buffer.from(text))).toThrow(GatewayError)
  })

  test('refuses bytes that are not UTF-8', () => {
    expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow(GatewayError)
  })
})
