import { expect, test } from 'vitest'
import { fewOf, quickRequests } from './telling-values.ts'

const known = { 'a.list': { 4: [1, 2, 3] }, 'a.nested': { 4: [0], 1: [0], 3: [0, 1, 2] } }
const letters = ['a', 'b', 'c', 'd']

test('a quick run tries the values that tell something, and two where none is known to', () => {
  expect(fewOf('a.list', letters, known)).toEqual(['b', 'c', 'd'])
  expect(fewOf('a.list', ['a', 'b', 'c'], known)).toEqual(['a', 'c'])
  expect(fewOf('another.list', letters, known)).toEqual(['a', 'd'])
  expect(fewOf(undefined, ['a'], known)).toEqual(['a'])
})

test('what it costs grows and shrinks with them, by what one of them costs', () => {
  expect(quickRequests('a.list', 4, 8, known)).toBe(6)
  expect(quickRequests('a.nested', 4, 12, known)).toBe(3)
  expect(quickRequests('a.nested', 4, 5, known)).toBe(4)
  expect(quickRequests('another.list', 3, 9, known)).toBe(3)
})
