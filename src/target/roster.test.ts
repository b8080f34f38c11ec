import { describe, expect, test } from 'vitest'
import { cheapestFirst, readRoster } from './roster.ts'

describe('the roster', () => {
  test.each([
    ['the contract', { object: 'list', data: [{ id: 'a' }, { id: 'b' }] }],
    ['a bare array', [{ id: 'a' }, { id: 'b' }]],
    ['another name', { models: [{ name: 'a' }, { model: 'b' }] }],
    ['plain ids, one twice', { data: ['a', 'b', 'a', '', 5, null] }],
  ])('reads ids from %s', (_, json) => {
    expect(readRoster(json).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test.each([undefined, null, 'text', 5, {}, { data: 'x' }, { data: [] }])('reads none from %j', (json) => {
    expect(readRoster(json)).toEqual([])
  })

  test('takes no price that is a mistake of unit, and puts the cheapest first', () => {
    const price = (id: string, prompt: unknown) => ({ id, pricing: { prompt, completion: 1 } })
    const roster = readRoster({
      data: [price('none', 'dear'), price('unit', 1e6), price('dear', 5), price('text', '0.5'), price('negative', -1)],
    })
    expect(roster.map(({ promptPrice }) => promptPrice)).toEqual([undefined, undefined, 5, 0.5, undefined])
    expect(cheapestFirst(roster)[0]?.id).toBe('text')
  })
})
