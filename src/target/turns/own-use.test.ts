import { expect, test } from 'vitest'
import type { Exchange } from '../../wire/transcript.ts'
import { readAnswer } from '../answer.ts'
import { createBudget } from '../limits/budget.ts'
import type { Request } from '../request.ts'
import type { Target } from '../target.ts'
import { countingUse } from './own-use.ts'

const request: Request = { method: 'POST', path: '/chat/completions' }

/** A target whose replies report these tokens. */
function targetOf(tokens: number): Target {
  const exchange: Exchange = {
    id: 1,
    request: { method: 'POST', url: 'http://x', headers: [] },
    sentAt: 0,
    head: { status: 200, headers: [], atMs: 1 },
    arrivals: [{ atMs: 2, bytes: Buffer.from(JSON.stringify({ usage: { total_tokens: tokens } })) }],
    ending: 'complete',
    endedAtMs: 2,
  }
  const budget = createBudget({ requestsMax: 10 })
  return { send: async () => readAnswer(exchange), budget } as unknown as Target
}

test('what a check asks, in a conversation of its own too, is counted as its own, and what others ask is not', async () => {
  const target = targetOf(30)
  const [one, other] = [countingUse(target), countingUse(target)]
  await one.target.send(request)
  await one.target.send(request)
  await other.target.send(request)
  one.target.budget.end(request, 5)
  other.target.budget.count({ requests: 3, tokens: 12 })
  expect(one.used).toEqual({ requests: 3, tokens: 65 })
  expect(other.used).toEqual({ requests: 4, tokens: 42 })
})

test('of a check that was only refused it is known how many others had been served by then', async () => {
  let served = 3
  const refused = { status: 404, text: '' } as Awaited<ReturnType<Target['send']>>
  const own = countingUse({ ...targetOf(1), send: async () => refused, served: () => served })
  expect(own.refusedSince()).toBe(undefined)
  // It waited for its turn meanwhile.
  served = 5
  await own.target.send(request)
  served = 6
  await own.target.send(request)
  expect(own.refusedSince()).toBe(5)
})

test('and a check that was served once was not only refused', async () => {
  const own = countingUse({ ...targetOf(1), served: () => 0 })
  await own.target.send(request)
  expect(own.refusedSince()).toBe(undefined)
})
