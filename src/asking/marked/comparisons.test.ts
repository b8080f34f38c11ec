import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyExchange } from './any-exchange.ts'
import { bodyOf, type MarkedExchange, markedExchanges } from './marked-exchange.ts'
import { differencesFromClosest, requestComparisons } from './request-comparisons.ts'

const sent = { temperature: 0, max_tokens: 77, stop: '§', messages: [{ role: 'user', content: ' a' }] }

const namesOf = (received: unknown): readonly string[] =>
  differencesFromClosest([sent], received).map(({ what }) => what)

describe('a request at the node', () => {
  test('is the same in the other forms that say the same', () => {
    expect(namesOf(sent)).toEqual([])
    expect(namesOf({ ...sent, top_p: 1, stop: ['§'], stream: true, user: 'x' })).toEqual([])
    const { max_tokens: limit, ...rest } = sent
    expect(namesOf({ ...rest, max_completion_tokens: limit })).toEqual([])
  })

  test('differs in the fields that it names', () => {
    expect(namesOf({ ...sent, temperature: undefined })).toEqual(['temperature'])
    expect(namesOf({ ...sent, top_p: 0.9 })).toEqual(['top_p'])
    expect(namesOf({ ...sent, max_tokens: '77' })).toEqual(['max_tokens'])
    expect(namesOf({ ...sent, stop: null })).toEqual(['stop'])
    expect(namesOf({ ...sent, messages: [{ role: 'user', content: 'a' }] })).toEqual(['messages[0].content'])
    expect(namesOf({ ...sent, messages: [] })).toEqual([
      'number of messages',
      'messages[0].role',
      'messages[0].content',
    ])
  })

  test('may have a large limit lowered, whose bound is not shown', () => {
    const comparisons = requestComparisons({ ...sent, max_tokens: 4000 }, { ...sent, max_tokens: 2048 })
    expect(comparisons.every(({ expected, actual }) => JSON.stringify(expected) === JSON.stringify(actual))).toBe(true)
  })

  test('is held against the request that it resembles most', () => {
    const other = { ...sent, temperature: 1.5 }
    expect(differencesFromClosest([sent, other], { ...other, top_p: 0.5 }).map(({ what }) => what)).toEqual(['top_p'])
  })
})

/** What a gateway may do by itself: stop where a sequence stands, and cut at the limit. */
function isSafe({
  fragments,
  parameters: { stop = [], max_tokens: limit = Number.POSITIVE_INFINITY },
}: MarkedExchange): boolean {
  const text = fragments.join('')
  return [stop].flat().every((one) => !text.includes(one)) && Buffer.byteLength(text) <= limit
}

describe('marked exchanges', () => {
  test('leave nothing for a gateway to change by itself', () => {
    expect(markedExchanges(1).filter((exchange) => !isSafe(exchange))).toEqual([])
    fc.assert(fc.property(anyExchange, isSafe))
  })

  test('have no two messages of one role in a row, which some models require to be joined', () => {
    const isAlternating = (exchange: MarkedExchange): boolean => {
      const roles = [...exchange.history, { role: 'user' }].map(({ role }) => role)
      return roles.every((role, at) => role !== roles[at - 1])
    }
    expect(
      markedExchanges(1)
        .filter((exchange) => !isAlternating(exchange))
        .map(({ name }) => name),
    ).toEqual([])
    fc.assert(fc.property(anyExchange, isAlternating))
  })

  test('differ from round to round, and put the prompt last', () => {
    const bodies = [1, 2].map((round) =>
      JSON.stringify(markedExchanges(round).map((exchange) => bodyOf(exchange, 'Go.'))),
    )
    expect(bodies[0]).not.toBe(bodies[1])
    expect(bodies[0]).toContain('Go.')
  })
})
