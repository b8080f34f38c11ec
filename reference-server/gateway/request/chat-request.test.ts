import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../gateway-error.ts'
import { parseJsonBody, readChatRequest } from './chat-request.ts'

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
    const defaults = { temperature: 1, topP: 1, stream: false, includeUsage: false, stop: [], extras: {} }
    expect(request).toEqual({ ...least, ...defaults })
  })

  test('counts null as absent, and lets unknown fields pass', () => {
    const names = ['temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'stream', 'stop', 'stream_options']
    const more = ['n', 'tools', 'response_format', 'logprobs', 'audio', 'user', 'seed']
    const nulls = Object.fromEntries([...names, ...more].map((name) => [name, null]))
    expect(readChatRequest({ ...least, ...nulls, x_unknown: 1 })).toEqual(readChatRequest(least))
  })

  test('takes max_completion_tokens for max_tokens', () => {
    expect(readChatRequest({ ...least, max_completion_tokens: 5 }).tokensMax).toBe(5)
    expect(readChatRequest({ ...least, max_completion_tokens: 5, max_tokens: 5 }).tokensMax).toBe(5)
    expect(readChatRequest({ ...least, max_completion_tokens: null, max_tokens: 5 }).tokensMax).toBe(5)
  })

  test('keeps for the node what the gateway itself has no use for, and no other name', () => {
    const extras = { user: 'u', seed: 7, metadata: { team: 'a' }, store: false, prompt_cache_key: 'k' }
    expect(readChatRequest({ ...least, ...extras, n_predict: 900, n: 1 }).extras).toEqual(extras)
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
    { stream_options: { include_usage: true } },
    { n: 1, presence_penalty: 0, frequency_penalty: 0, logit_bias: {}, logprobs: false, top_logprobs: 0 },
    { tools: [], functions: [], tool_choice: 'auto', function_call: 'none', parallel_tool_calls: true },
    { response_format: { type: 'text' }, modalities: ['text'], verbosity: 'medium', reasoning_effort: 'none' },
    { service_tier: 'auto', store: false },
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
    [{ max_completion_tokens: 0 }, 'max_completion_tokens'],
    [{ max_completion_tokens: 6, max_tokens: 5 }, 'max_completion_tokens'],
    [{ stream_options: 'x' }, 'stream_options'],
    [{ stream_options: { include_usage: 'yes' } }, 'stream_options.include_usage'],
    [{ n: 2 }, 'n'],
    [{ tools: [{ type: 'function', function: { name: 'now' } }] }, 'tools'],
    [{ functions: [{ name: 'now' }] }, 'functions'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ tool_choice: { type: 'function', function: { name: 'now' } } }, 'tool_choice'],
    [{ function_call: { name: 'now' } }, 'function_call'],
    [{ response_format: { type: 'json_object' } }, 'response_format.type'],
    [{ response_format: {} }, 'response_format.type'],
    [{ logprobs: true }, 'logprobs'],
    [{ top_logprobs: 3 }, 'top_logprobs'],
    [{ logit_bias: { 50256: -100 } }, 'logit_bias'],
    [{ frequency_penalty: 0.5 }, 'frequency_penalty'],
    [{ presence_penalty: -2 }, 'presence_penalty'],
    [{ modalities: ['text', 'audio'] }, 'modalities[1]'],
    [{ audio: { voice: 'alloy', format: 'wav' } }, 'audio'],
    [{ prediction: { type: 'content', content: 'x' } }, 'prediction'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ reasoning_effort: 'high' }, 'reasoning_effort'],
    [{ verbosity: 'low' }, 'verbosity'],
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ store: true }, 'store'],
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
