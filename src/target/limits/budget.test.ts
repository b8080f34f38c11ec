import { expect, test } from 'vitest'
import type { Exchange } from '../../wire/transcript.ts'
import { readAnswer } from '../answer.ts'
import { chatRequest } from '../chat.ts'
import { createBudget, tokensIn, tokensOf } from './budget.ts'

const plain = chatRequest('small', {})

/** A reply of 40 letters whose `usage` says this. */
function replyWith(usage: unknown, status = 200) {
  const body = { choices: [{ message: { content: 'a'.repeat(40) } }], usage }
  const exchange: Exchange = {
    id: 1,
    request: { method: 'POST', url: 'http://x', headers: [] },
    sentAt: 0,
    head: { status, reason: '', version: '1.1', headers: [], atMs: 1 } as never,
    arrivals: [{ bytes: Buffer.from(JSON.stringify(body)), atMs: 1 }],
    ending: 'complete',
    endedAtMs: 1,
  }
  return readAnswer(exchange)
}

test.each([
  ['what usage says', { total_tokens: 18 }, 200, 18],
  ['what the texts look like without usage', undefined, 200, Math.ceil(String(plain.body).length / 4) + 10],
  [
    'what the texts look like where usage cannot be',
    { total_tokens: 1e9 },
    200,
    Math.ceil(String(plain.body).length / 4) + 10,
  ],
  ['nothing for a refusal', { total_tokens: 18 }, 400, 0],
])('a reply counts %s', (_, usage, status, expected) => {
  expect(tokensOf(plain, replyWith(usage, status))).toBe(expected)
})

test('a conversation on a raw socket counts its replies and its chunks', () => {
  expect(tokensIn('HTTP/1.1 200 OK\r\n\r\n{"usage":{"total_tokens": 18}}')).toBe(18)
  expect(tokensIn('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"delta":{}}]}\n\n')).toBe(2)
})

test('requests beyond the number that a run may send are refused', () => {
  const { begin, spending } = createBudget({ requestsMax: 1 })
  begin(plain)
  expect(() => begin(plain)).toThrow('--max-requests 1 is used up')
  expect(spending.requests).toBe(1)
})

test('tokens are held while a request is under way, and given back when it used fewer', () => {
  const atMost = Math.ceil(String(plain.body).length / 4) + 8
  const { begin, end } = createBudget({ requestsMax: 9, tokensMax: 2 * atMost - 1 })
  begin(plain)
  expect(() => begin(plain)).toThrow(`--max-tokens-total ${2 * atMost - 1} is used up`)
  end(plain, 5)
  begin(plain)
})

test('what our nodes serve is counted, and against no limit', () => {
  const { begin, end, spending } = createBudget({
    requestsMax: 9,
    tokensMax: 10,
    nodes: { model: 'ours', controlUrls: [] },
  })
  const request = chatRequest('ours', {})
  begin(request)
  end(request, 400)
  begin(request)
  expect(spending).toMatchObject({ requests: 2, tokens: 400 })
})

test('each request costs what its own model does, also what came before the prices were known', () => {
  const { begin, end, learnPrices } = createBudget({ requestsMax: 9, costUsdMax: 0.001 })
  begin(plain)
  end(plain, 400)
  learnPrices(
    [
      { id: 'small', promptPrice: 1, completionPrice: 2 },
      { id: 'dear', completionPrice: 60 },
    ],
    'small',
  )
  begin(plain)
  end(plain, 40)
  expect(() => begin(chatRequest('dear', {}))).toThrow('--max-cost 0.001 is used up')
})
