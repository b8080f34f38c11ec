import { describe, expect, test } from 'vitest'
import { createPatience } from './patience.ts'

function manualClock() {
  let nowMs = 500
  const asleep: (() => void)[] = []
  return {
    nowMs: () => nowMs,
    sleep: () => new Promise<void>((resolve) => asleep.push(resolve)),
    pass(ms: number) {
      nowMs += ms
    },
    wake() {
      for (const resolve of asleep.splice(0)) resolve()
    },
  }
}

/** The refusals of a source that comes so often at once. */
function refusals(patience: ReturnType<typeof createPatience>, source: string, times: number) {
  return Array.from({ length: times }, () => patience.refused(source))
}

describe('patience', () => {
  test('lets a source be refused as often as it may, and then tells it to wait longer each time', () => {
    const patience = createPatience(manualClock(), 60)
    const some = refusals(patience, 'key', 64)
    expect(some.slice(0, 60).filter(({ delayMs, waitS }) => delayMs + waitS > 0)).toEqual([])
    expect(some.slice(60)).toEqual([1, 2, 3, 4].map((waitS) => ({ delayMs: 1000, waitS })))
  })

  test('keeps answers back for a part of a second before it is a whole one', () => {
    const delays = refusals(createPatience(manualClock(), 1200), 'key', 1203).map(({ delayMs }) => delayMs)
    expect(delays.slice(1199)).toEqual([0, 50, 100, 150])
  })

  test('never tells anybody to wait for more than a minute, however often it comes', () => {
    const last = refusals(createPatience(manualClock(), 60), 'key', 10_000).at(-1)
    expect(last).toEqual({ delayMs: 1000, waitS: 60 })
  })

  test('forgets a source that waits as it was told', () => {
    const clock = manualClock()
    const patience = createPatience(clock, 60)
    const waitS = refusals(patience, 'key', 70).at(-1)?.waitS ?? 0
    clock.pass((waitS + 1) * 1000)
    expect(patience.refused('key')).toEqual({ delayMs: 0, waitS: 0 })
  })

  test('is not lost with one source because of another', () => {
    const patience = createPatience(manualClock(), 60)
    refusals(patience, 'key', 1000)
    expect(patience.refused('another')).toEqual({ delayMs: 0, waitS: 0 })
  })

  test('of 0 refusals a minute never ends', () => {
    expect(refusals(createPatience(manualClock(), 0), 'key', 5000).at(-1)).toEqual({ delayMs: 0, waitS: 0 })
  })

  test('keeps ten thousand answers back and no more', async () => {
    const clock = manualClock()
    const patience = createPatience(clock)
    const { signal } = new AbortController()
    const waiting = Array.from({ length: 10_000 }, () => patience.keepBack(1000, signal))
    expect(await patience.keepBack(1000, signal)).toBe(false)
    clock.wake()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]))
    const next = patience.keepBack(1000, signal)
    clock.wake()
    expect(await next).toBe(true)
  })
})
