import { expect, test } from 'vitest'
import type { Progress } from '../../load/figures/progress.ts'
import { loadText } from './progress-line.ts'

const shard = (given: Partial<Progress>): Progress =>
  ({
    sent: 0,
    ok: 0,
    bad: 0,
    inFlight: 0,
    ttftP95: Number.NaN,
    gapP99: Number.NaN,
    lag: { p99: 0 },
    ...given,
  }) as Progress

test('what was not measured yet is a dash', () => {
  expect(loadText([shard({ sent: 8, inFlight: 8 })], 900, 60_000)).toBe(
    '1 s of 60 s · 8 sent · 0 bad · ttft p95 – · gap p99 – · 8 in flight · lag p99 –',
  )
})

test('threads are added up, the slowest counts, and what matters least stands last', () => {
  const shards = [
    shard({ sent: 12_000, inFlight: 250, ttftP95: 12.31, gapP99: 3 }),
    shard({ sent: 11_000, bad: 3, inFlight: 250, ttftP95: 40.27, gapP99: 2 }),
  ]
  expect(loadText(shards, 61_000)).toBe(
    '61 s · 23000 sent · 3 bad · ttft p95 40.3 ms · gap p99 3.0 ms · 500 in flight · lag p99 –',
  )
})
