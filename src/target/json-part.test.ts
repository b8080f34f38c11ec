import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPart } from './json-part.ts'

const list = {
  object: 'list',
  data: [{ id: 'a', pricing: { prompt: 1, completion: 2 } }, { id: 'b"\\', tags: ['x', 'y'] }, { id: 'c' }],
}

test.each([
  ['"id":"c"', 2],
  ['\\",', 1],
  ['"completion"', 0],
])('of a list that is cut before %s the first %d models are read', (before, count) => {
  const text = JSON.stringify(list)
  expect(readPart(text.slice(0, text.indexOf(before)))).toEqual(
    count === 0 ? { object: 'list' } : { ...list, data: list.data.slice(0, count) },
  )
})

test('wherever a list is cut, what is read of it is its beginning', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 2 }), fc.nat(), (values, at) => {
      const text = JSON.stringify({ data: values })
      const part = readPart(text.slice(0, at % text.length)) as { data: unknown[] } | undefined
      const whole = JSON.parse(text) as { data: unknown[] }
      for (const [index, value] of (part?.data.slice(0, -1) ?? []).entries()) expect(value).toEqual(whole.data[index])
    }),
  )
})

test('of what is no JSON nothing is read', () => {
  expect(readPart('<html>, a page')).toBeUndefined()
  expect(readPart('')).toBeUndefined()
})
