import { describe, expect, test } from 'vitest'
import { type Arrivals, schedule, shareOf } from './arrivals.ts'

type Open = Extract<Arrivals, { kind: 'open' }>

function open(process: Open['process'], stages: Open['stages'], shape?: number): Open {
  return { kind: 'open', process, stages, connectionsMax: 1, ...(shape !== undefined && { shape }) }
}

/** Mean and squared variation of the gaps. */
function gapsOf(times: Float64Array): { readonly mean: number; readonly variation: number } {
  const gaps = Array.from(times.slice(1), (time, at) => time - (times[at] ?? 0))
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length
  return { mean, variation: variance / mean ** 2 }
}

describe('a schedule of arrivals', () => {
  const minute = [{ durationMs: 60_000, from: 100, to: 100 }]

  test('is even when constant', () => {
    const times = schedule(open('constant', [{ durationMs: 1000, from: 10, to: 10 }]), 1)
    expect([...times].map(Math.round)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900])
  })

  test('has gaps of the mean and the spread of its process', () => {
    const poisson = gapsOf(schedule(open('poisson', minute), 1))
    const bursts = gapsOf(schedule(open('gamma', minute, 0.25), 1))
    const calm = gapsOf(schedule(open('gamma', minute, 4), 1))
    for (const { mean } of [poisson, bursts, calm]) expect(mean).toBeCloseTo(10, 0)
    expect(poisson.variation).toBeCloseTo(1, 0)
    expect(bursts.variation).toBeGreaterThan(3)
    expect(calm.variation).toBeLessThan(0.4)
  })

  test('rises with a ramp: a quarter of the requests in its first half', () => {
    const times = schedule(open('constant', [{ durationMs: 10_000, from: 0, to: 100 }]), 1)
    expect(times).toHaveLength(500)
    expect(times.filter((time) => time < 5000)).toHaveLength(125)
  })

  test('falls with a ramp, and goes in steps', () => {
    const falling = schedule(open('constant', [{ durationMs: 10_000, from: 100, to: 0 }]), 1)
    expect(falling.filter((time) => time < 5000).length).toBe(375)
    const steps = [
      { durationMs: 1000, from: 10, to: 10 },
      { durationMs: 1000, from: 40, to: 40 },
    ]
    const times = schedule(open('constant', steps), 1)
    expect(times.filter((time) => time < 1000)).toHaveLength(10)
    expect(times).toHaveLength(50)
  })

  test('is the same for the same seed, and another for another', () => {
    const of = (seed: number): number[] => [...schedule(open('poisson', minute), seed)]
    expect(of(3)).toEqual(of(3))
    expect(of(3)).not.toEqual(of(4))
  })

  test('is shared out whole', () => {
    const times = schedule(open('poisson', minute), 5)
    const parts = [0, 1, 2].flatMap((shard) => [...shareOf(times, shard, 3)])
    expect(parts.sort((one, other) => one - other)).toEqual([...times])
  })

  test('follows a trace', () => {
    const entries = [{ atMs: 500 }, { atMs: 0 }]
    expect([...schedule({ kind: 'trace', entries, connectionsMax: 1 }, 1)]).toEqual([0, 500])
  })
})
