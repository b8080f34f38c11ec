import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brief, ticksOver } from './scale.ts'

test.each([
  [0, 60, 5, [0, 20, 40, 60]],
  [0, 123.7, 4, [0, 50, 100, 150]],
  [0, 0.004, 4, [0, 0.001, 0.002, 0.003, 0.004]],
  [0, 0, 4, [0, 1]],
])('ticks from %d to %d, about %d', (from, to, about, ticks) => {
  expect(ticksOver(from, to, about)).toEqual(ticks)
})

test('ticks are evenly apart, cover the range, and are not many more than asked for', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), fc.integer({ min: 2, max: 12 }), (to, about) => {
      const ticks = ticksOver(0, to, about)
      expect(ticks[0]).toBe(0)
      expect((ticks.at(-1) ?? 0) * (1 + 1e-8)).toBeGreaterThanOrEqual(to)
      expect(ticks.length).toBeLessThanOrEqual(about + 2)
    }),
  )
})

test.each([
  [1234.5, '1,230'],
  [0.04567, '0.0457'],
  [99.96, '100'],
  [0, '0'],
])('%d is written %s', (value, text) => {
  expect(brief(value)).toBe(text)
})
