import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tokenBucket } from './token-bucket.ts'

function manualClock() {
  let nowMs = 1000.25
  return {
    nowMs: () => nowMs,
    unixMs: () => nowMs,
    sleep: () => Promise.resolve(),
    pass(ms: number) {
      nowMs += ms
    },
  }
}

describe('tokenBucket', () => {
  test('is full at the start and fills evenly up to its capacity', () => {
    const clock = manualClock()
    const bucket = tokenBucket(5, clock)
    bucket.take(5)
    expect([bucket.remaining(), bucket.waitMs(1)]).toEqual([0, 12_000])
    clock.pass(11_999)
    expect(bucket.waitMs(1)).toBe(1)
    clock.pass(1)
    expect([bucket.remaining(), bucket.waitMs(1)]).toEqual([1, 0])
    clock.pass(3_600_000)
    expect(bucket.remaining()).toBe(5)
  })

  test('a debt is paid off before anything is there again', () => {
    const clock = manualClock()
    const bucket = tokenBucket(60, clock)
    bucket.take(90)
    expect([bucket.remaining(), bucket.waitMs(1)]).toEqual([0, 31_000])
  })

  test('asking for more than it holds waits for all of it, not for ever', () => {
    const clock = manualClock()
    const bucket = tokenBucket(60, clock)
    expect(bucket.waitMs(1000)).toBe(0)
  })

  test('what is given back is there again, up to its capacity', () => {
    const bucket = tokenBucket(60, manualClock())
    bucket.take(50)
    bucket.put(20)
    expect(bucket.remaining()).toBe(30)
    bucket.put(1000)
    expect(bucket.remaining()).toBe(60)
  })

  test('the wait that it names is enough', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (perMinute, ms) => {
          const clock = manualClock()
          const bucket = tokenBucket(perMinute, clock)
          bucket.take(perMinute)
          clock.pass(ms)
          clock.pass(bucket.waitMs(1))
          expect(bucket.waitMs(1)).toBe(0)
          expect(bucket.remaining()).toBeGreaterThanOrEqual(1)
        },
      ),
    )
  })
})
