import { expect, test } from 'vitest'
import { changeAt } from './carriers.ts'

const body = { stop: ['a', 'b'], messages: [{ role: 'user', content: 'x' }, { role: 'assistant' }] }

test('a value is changed where the path leads, and nowhere else', () => {
  expect(changeAt(body, ['stop', 1], () => 'c')).toEqual({ ...body, stop: ['a', 'c'] })
  expect(changeAt(body, ['nothing', 'here'], () => 1)).toEqual(body)
})

test('a star is each member of a list, with its position', () => {
  const seen: unknown[] = []
  changeAt(body, ['messages', '*', 'role'], (role, { index, isLast }) => {
    seen.push([role, index, isLast])
    return role
  })
  expect(seen).toEqual([
    ['user', 0, false],
    ['assistant', 1, true],
  ])
})

test('what becomes undefined is left out, of an object and of a list', () => {
  expect(changeAt(body, ['stop'], () => undefined)).toEqual({ messages: body.messages })
  expect(changeAt(body, ['stop', '*'], (stop) => (stop === 'a' ? undefined : stop))).toEqual({ ...body, stop: ['b'] })
})

test('a field that is missing can be added', () => {
  expect(changeAt(body, ['temperature'], () => 1)).toEqual({ ...body, temperature: 1 })
})
