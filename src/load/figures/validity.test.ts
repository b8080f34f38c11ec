import { describe, expect, test } from 'vitest'
import { createHistogram } from './histogram.ts'
import { validityOf } from './validity.ts'

const histogramOf = (...values: readonly number[]): string => {
  const histogram = createHistogram()
  for (const value of values) histogram.record(value)
  const serialized = histogram.serialize()
  histogram.free()
  return serialized
}
const times = (value: number): string => histogramOf(...Array<number>(1000).fill(value))

const open = {
  arrivals: {
    kind: 'open',
    process: 'constant',
    stages: [{ from: 10, to: 10, durationMs: 10_000 }],
    connectionsMax: 50,
  },
  durationMs: 10_000,
  warmupMs: 1000,
  stream: true,
} as const
const closed = { ...open, arrivals: { kind: 'closed', connections: 10 } } as const
const calm = {
  lateness: times(0.1),
  lag: times(0.5),
  cpu: 0.2,
  reads: 1000,
  seconds: [{ second: 0, sent: 100, ok: 100, bad: 0, events: 1000, ttft: [], stallMax: 0 }],
  unsent: 0,
  empty: 0,
  connectionsUsed: 10,
}
const run = { sent: 100, ok: 100, spanS: 10, steady: 90 }

describe('how far a measurement can be trusted', () => {
  test('all the way where the client was early, idle and complete, in either loop', () => {
    for (const plan of [open, closed])
      expect(validityOf(plan, [calm, calm], [], run)).toMatchObject({ verdict: 'valid', reasons: [] })
    expect(validityOf(open, [calm], [], run)).toMatchObject({ askedPerS: 10, achievedPerS: 10 })
    expect(validityOf(closed, [calm], [], run).askedPerS).toBeNull()
  })

  test.each([
    ['invalid', 'shard 0 used 97 % of a core', { cpu: 0.97 }],
    ['suspect', 'shard 0 used 85 % of a core', { cpu: 0.85 }],
    ['invalid', 'the client itself was up to 150 ms late', { lag: times(150) }],
    ['suspect', 'the client itself was up to 30 ms late', { lag: times(30) }],
    ['invalid', '3 requests never sent', { unsent: 3 }],
    ['suspect', 'requests were sent up to 40 ms late', { lateness: times(40) }],
    ['suspect', 'all 50 connections busy', { lateness: times(40), connectionsUsed: 50 }],
    ['suspect', '2.5 events per read', { reads: 400 }],
    ['suspect', '2 complete streams had no content', { empty: 2 }],
  ] as const)('%s: %s', (verdict, reason, change) => {
    const found = validityOf(open, [{ ...calm, ...change }], [], run)
    expect(found.verdict).toBe(verdict)
    expect(found.reasons).toEqual([expect.stringContaining(reason)])
  })

  test('not at all where the warm-up took in every reply, and that is said', () => {
    expect(validityOf(closed, [calm], [], { ...run, steady: 0 })).toMatchObject({
      verdict: 'suspect',
      reasons: [
        'no complete reply was to a request after the first 1 s, which --warmup leaves out: there are no latencies',
      ],
    })
    expect(validityOf(closed, [calm], [], { ...run, ok: 0, steady: 0 }).reasons).toEqual([
      'no request succeeded: there are no latencies',
    ])
  })

  test('one busy shard among idle ones is enough, and a lost one, and a run that sent nothing', () => {
    expect(validityOf(open, [calm, { ...calm, cpu: 0.99 }], [], run).reasons[0]).toContain('shard 1 used 99 %')
    expect(validityOf(open, [calm], ['shard 1 died'], run)).toMatchObject({
      verdict: 'invalid',
      reasons: ['shard 1 died'],
    })
    expect(validityOf(closed, [calm], [], { ...run, sent: 0, ok: 0 }).verdict).toBe('invalid')
    expect(validityOf(closed, [calm], [], { ...run, ok: 0 }).verdict).toBe('suspect')
  })
})
