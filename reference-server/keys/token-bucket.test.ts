import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyLimits } from './limits.ts'
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

describe('keyLimits', () => {
  const key = { id: 'k', accountId: 'a', revoked: false }

  test('a refused request takes nothing', () => {
    const clock = manualClock()
    const limits = keyLimits(clock)
    const limited = { ...key, requestsPerMinute: 2, tokensPerMinute: 100 }
    expect(limits.take(limited, 60)).toBeUndefined()
    expect(limits.take(limited, 60)).toEqual({ unit: 'tokens', perMinute: 100, remaining: 40, waitMs: 12_000 })
    expect(limits.take(limited, 40)).toBeUndefined()
    expect(limits.take(limited, 0)).toEqual({ unit: 'requests', perMinute: 2, remaining: 0, waitMs: 30_000 })
  })

  test('keys do not share limits, and a key without limits has none', () => {
    const limits = keyLimits(manualClock())
    expect(limits.take({ ...key, requestsPerMinute: 1 }, 1)).toBeUndefined()
    expect(limits.take({ ...key, id: 'other', requestsPerMinute: 1 }, 1)).toBeUndefined()
    for (let count = 0; count < 100; count += 1) expect(limits.take({ ...key, id: 'free' }, 1e9)).toBeUndefined()
  })
})
