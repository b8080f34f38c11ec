import { expect, test } from 'vitest'
import type { Exchange } from '../../wire/transcript.ts'
import { keepExchanges } from './exchanges.ts'

let lastId = 0
function exchangeWith(url: string): Exchange {
  lastId += 1
  const request = { method: 'GET', url, headers: [] }
  return { id: lastId, request, sentAt: 0, arrivals: [], ending: 'complete', endedAtMs: 1 }
}
const urls = (exchanges: readonly Exchange[]): readonly string[] => exchanges.map(({ request }) => request.url)

test('the exchange that shows a failure comes last', () => {
  const kept = keepExchanges(false)
  const shown = exchangeWith('/shown')
  kept.add(shown)
  kept.add(exchangeWith('/later'))
  expect(urls(kept.list(shown))).toEqual(['/later', '/shown'])
})

test('where none shows it, the last one with the target does: nobody can repeat what our nodes or the control API were asked', () => {
  const kept = keepExchanges(false)
  kept.add(exchangeWith('/earlier'))
  kept.add(exchangeWith('/target'))
  kept.addAside(exchangeWith('/records'))
  expect(urls(kept.list(undefined))).toEqual(['/earlier', '/records', '/target'])
})

test('a check that asked only them has nothing else to show', () => {
  const kept = keepExchanges(false)
  kept.addAside(exchangeWith('/records'))
  expect(urls(kept.list(undefined))).toEqual(['/records'])
})

test('it does so however often they were asked after it', () => {
  const kept = keepExchanges(false)
  kept.add(exchangeWith('/target'))
  for (let turn = 0; turn < 100; turn += 1) kept.addAside(exchangeWith('/records'))
  expect(urls(kept.list(undefined)).at(-1)).toBe('/target')
  expect(kept.list(undefined)).toHaveLength(12)
})
