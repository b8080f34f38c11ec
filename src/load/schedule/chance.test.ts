import { expect, test } from 'vitest'
import { createChance } from './chance.ts'

test('the same seed gives the same draws', () => {
  const [one, other] = [createChance(7), createChance(7)]
  for (let draw = 0; draw < 100; draw += 1) expect(one.unit()).toBe(other.unit())
})

test('small seeds do not draw alike: the first gap is one of many', () => {
  const firstGaps = Array.from({ length: 1000 }, (_, seed) => createChance(seed).exponential())
  const mean = firstGaps.reduce((sum, gap) => sum + gap, 0) / firstGaps.length
  expect(mean).toBeGreaterThan(0.9)
  expect(mean).toBeLessThan(1.1)
  expect(Math.max(...firstGaps.slice(0, 10))).toBeLessThan(8)
})
