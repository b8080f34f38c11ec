import { expect, test } from 'vitest'
import { eventually } from './eventually.ts'

test('looks until what it sees holds', async () => {
  let looks = 0
  const seen = await eventually(
    { withinMs: 10_000, everyMs: 1 },
    async () => ++looks,
    (count) => count === 3,
  )
  expect([seen, looks]).toEqual([3, 3])
})

test('looks once when there is no time, and returns what it saw', async () => {
  expect(
    await eventually(
      { withinMs: 0, everyMs: 1 },
      async () => 'not yet',
      (seen) => seen === 'there',
    ),
  ).toBe('not yet')
})
