import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { schedule, type TimingModel } from './timing.ts'
import { timingProfiles } from './timing-profiles.ts'

const ms = fc.integer({ min: 0, max: 5_000 })
const ascending = fc.array(ms, { minLength: 2, maxLength: 2 }).map((times) => times.sort((a, b) => a - b))
const distribution = fc.oneof(
  ms,
  fc.record({ mean: ms, sd: ms, min: ms }),
  ascending.map(([low = 0, high = 0]) => ({ percentiles: [[0, low] as const, [90, high] as const] })),
)
const factor = fc.integer({ min: 0, max: 8 }).map((quarters) => quarters / 4)
const model: fc.Arbitrary<TimingModel> = fc.record(
  {
    firstToken: distribution,
    gap: distribution,
    prefillMsPerToken: factor,
    slowdown: fc.record({ above: fc.nat(20), factor }),
    spikes: fc.record({ every: fc.integer({ min: 1, max: 9 }), ms }),
    ramp: fc.record({ fromFactor: factor, toFactor: factor, overMs: ms }),
  },
  { requiredKeys: ['firstToken', 'gap'] },
)
const occasion = fc.record({
  seed: fc.nat(),
  chunks: fc.nat(200),
  promptTokens: fc.nat(1000),
  concurrent: fc.integer({ min: 1, max: 50 }),
})
const alone = { seed: 1, chunks: 5, promptTokens: 0, concurrent: 1 }

describe('a schedule', () => {
  test('never goes back, starts at 0 or later and has a time for every chunk', () => {
    fc.assert(
      fc.property(model, occasion, (some, when) => {
        const times = schedule(some, when)
        expect(times).toHaveLength(Math.max(1, when.chunks))
        expect(times.every((time, index) => Number.isFinite(time) && time >= (times[index - 1] ?? 0))).toBe(true)
      }),
    )
  })

  test('is the same for the same seed, and a longer reply begins like a shorter one', () => {
    fc.assert(
      fc.property(model, occasion, (some, when) => {
        const longer = schedule(some, { ...when, chunks: when.chunks + 20 })
        expect(longer.slice(0, Math.max(1, when.chunks))).toEqual(schedule(some, when))
      }),
    )
  })

  test('differs between seeds where there is chance', () => {
    expect(schedule(timingProfiles.small, alone)).not.toEqual(schedule(timingProfiles.small, { ...alone, seed: 2 }))
  })

  test('keeps constant times', () => {
    expect(schedule({ firstToken: 100, gap: 10 }, alone)).toEqual([100, 110, 120, 130, 140])
  })

  test('starts later for a longer prompt', () => {
    const times = schedule({ firstToken: 100, gap: 10, prefillMsPerToken: 0.5 }, { ...alone, promptTokens: 50 })
    expect(times).toEqual([125, 135, 145, 155, 165])
  })

  test('is slower by a factor for each stream above the number that costs nothing', () => {
    const loaded = { firstToken: 100, gap: 10, slowdown: { above: 2, factor: 0.5 } }
    expect(schedule(loaded, { ...alone, concurrent: 2 })).toEqual([100, 110, 120, 130, 140])
    expect(schedule(loaded, { ...alone, concurrent: 4 })).toEqual([200, 220, 240, 260, 280])
  })

  test('has spikes at every so many gaps', () => {
    const times = schedule({ firstToken: 0, gap: 10, spikes: { every: 2, ms: 100 } }, alone)
    expect(times).toEqual([0, 10, 120, 130, 240])
  })

  test('moves from one factor to the other and stays there', () => {
    const ramp = { fromFactor: 1, toFactor: 3, overMs: 20 }
    expect(schedule({ firstToken: 50, gap: 10, ramp }, alone)).toEqual([50, 60, 80, 110, 140])
  })
})

describe('a distribution', () => {
  const sampled = (gap: TimingModel['gap']): number[] => {
    const times = schedule({ firstToken: 0, gap }, { ...alone, chunks: 20_001 })
    return times.slice(1).map((time, index) => time - (times[index] ?? 0))
  }
  const share = (gaps: readonly number[], limitMs: number): number =>
    gaps.filter((gap) => gap <= limitMs).length / gaps.length

  test('of percentiles gives each its share', () => {
    const gaps = sampled({
      percentiles: [
        [50, 10],
        [90, 30],
        [100, 100],
      ],
    })
    expect(Math.min(...gaps)).toBeCloseTo(10, 3)
    expect(share(gaps, 20)).toBeCloseTo(0.7, 1)
    expect(share(gaps, 30)).toBeCloseTo(0.9, 1)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(100.001)
  })

  test('that is normal has its mean, its spread and its least value', () => {
    const gaps = sampled({ mean: 100, sd: 10, min: 80 })
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeCloseTo(100, -1)
    expect(share(gaps, 110) - share(gaps, 90)).toBeCloseTo(0.68, 1)
    expect(Math.min(...gaps)).toBeCloseTo(80, 3)
  })
})
