import { expect, test } from 'vitest'
import { interruption } from '../unsettled.ts'
import { createDeadline } from './deadline.ts'

test('time that was used before counts, and the reason names the option', async () => {
  const { remainingMs, spent, over } = createDeadline(performance.now() - 20_000, 12_000)
  expect(remainingMs()).toBeLessThan(0)
  expect(spent()).toBe('--max-time 12 is used up')
  expect(await over).toBe(spent())
})

test('a run that is stopped has no time left, at once', async () => {
  const { remainingMs, spent, stop, over } = createDeadline(performance.now(), 10_000)
  expect(spent()).toBeUndefined()
  stop()
  expect([spent(), remainingMs() <= 0, await over]).toEqual([interruption, true, interruption])
})
