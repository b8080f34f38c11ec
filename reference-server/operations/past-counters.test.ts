import { expect, test } from 'vitest'
import type { Counters } from './activity.ts'
import { pastCounters, pastCountsMax } from './past-counters.ts'

test('keeps the counters of the last seconds, the oldest first', () => {
  let second = 0
  const counters = () => ({ requests: 10 * second, tokens: 100 * second }) as Counters
  const past = pastCounters({ counters }, { unixMs: () => second * 1000 })
  expect(past.counts()).toEqual([])
  for (second = 1; second <= pastCountsMax + 5; second += 1) past.note()
  expect(past.counts()).toHaveLength(pastCountsMax)
  expect(past.counts()[0]).toEqual({ at: 6000, requests: 60, tokens: 600 })
  expect(past.counts().at(-1)).toEqual({ at: 125_000, requests: 1250, tokens: 12_500 })
})
