import { expect, test } from 'vitest'
import { compareSamples, mannWhitney, type Samples } from './compare.ts'
import { createChance } from './schedule/chance.ts'

function samples(mean: number, seed: number, count = 400): Samples {
  const chance = createChance(seed)
  return Array.from({ length: count }, () => ({ ttft: mean * (0.9 + 0.2 * chance.unit()) }))
}

function verdict(before: Samples, after: Samples): string | undefined {
  return compareSamples(before, after, () => 0.05, 1).find(({ percentile }) => percentile === 'p50')?.verdict
}

test('a shift beyond the tolerance is better or worse, one inside it the same', () => {
  expect(verdict(samples(100, 1), samples(120, 2))).toBe('worse')
  expect(verdict(samples(120, 1), samples(100, 2))).toBe('better')
  expect(verdict(samples(100, 1), samples(101, 2))).toBe('same')
})

test('what so few requests cannot tell is undecided', () => {
  expect(verdict(samples(100, 1, 25), samples(105, 2, 25))).toBe('undecided')
  expect(compareSamples(samples(100, 1, 5), samples(200, 2, 5), () => 0.05, 1)).toEqual([])
})

test('an undecided statistic says why', () => {
  const reasons = (before: Samples, after: Samples): readonly (string | undefined)[] =>
    compareSamples(before, after, () => 0.05, 1).map(({ reason }) => reason)
  expect(reasons(samples(100, 1, 25), samples(105, 2, 25))).toEqual([
    expect.stringMatching(/^anything from [+−]\d+ % to \+\d+ % is possible: compare longer runs$/),
    'too few requests: 25 in one run, and a p95 needs 100',
  ])
  const zeros = Array.from({ length: 40 }, () => ({ tail: 0 }))
  const ones = zeros.map(() => ({ tail: 1 }))
  expect(reasons(zeros, ones)[0]).toBe('it was 0 before, so there is no ratio')
  expect(reasons(zeros, zeros)).toEqual([undefined, undefined])
})

test('a 95th percentile may get worse by itself', () => {
  const chance = createChance(3)
  const withTail = (tail: number): Samples =>
    Array.from({ length: 400 }, (_, at) => ({ stall: (at % 10 === 0 ? tail : 10) * (0.9 + 0.2 * chance.unit()) }))
  const verdicts = compareSamples(withTail(60), withTail(240), () => 0.05, 1).map(({ verdict: one }) => one)
  expect(verdicts[1]).toBe('worse')
  expect(verdicts[0]).not.toBe('worse')
})

test('runs of one gateway are seldom said to differ', () => {
  const verdicts = Array.from({ length: 12 }, (_, at) =>
    compareSamples(samples(100, 2 * at, 200), samples(100, 2 * at + 1, 200), () => 0.05, at),
  ).flat()
  expect(verdicts.filter(({ verdict: one }) => one === 'worse' || one === 'better')).toEqual([])
})

test('the test of ranks is that of the textbook', () => {
  // Hollander, Wolfe: permeability of the amnion; U = 35, p = 0.2544 exactly, by the normal curve 0.2704 (two-sided, corrected).
  const at = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
  const early = [1.15, 0.88, 0.9, 0.74, 1.21]
  expect(mannWhitney(at, early)).toBeCloseTo(0.2446, 1)
  expect(mannWhitney([1, 2, 3], [1, 2, 3])).toBeCloseTo(1)
  expect(mannWhitney([5, 5, 5], [5, 5, 5])).toBe(1)
})
