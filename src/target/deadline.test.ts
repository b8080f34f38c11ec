import { expect, test } from 'vitest'
import { createDeadline } from './deadline.ts'

test('time that was waited is given back, in all no more than the run has', () => {
  const { remainingMs, extend } = createDeadline(performance.now(), 10_000)
  extend(4000)
  expect(remainingMs()).toBeGreaterThan(13_000)
  extend(60_000)
  expect(remainingMs()).toBeGreaterThan(19_000)
  expect(remainingMs()).toBeLessThanOrEqual(20_000)
})

test('a run that is stopped has no time left, whatever is given back', () => {
  const { remainingMs, extend, stop, isStopped } = createDeadline(performance.now(), 10_000)
  stop()
  extend(5000)
  expect([isStopped(), remainingMs() <= 0]).toEqual([true, true])
})
