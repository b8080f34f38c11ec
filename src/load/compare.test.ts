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

test('what so few requests can not tell is undecided', () => {
  expect(verdict(samples(100, 1, 25), samples(105, 2, 25))).toBe('undecided')
  expect(compareSamples(samples(100, 1, 5), samples(200, 2, 5), () => 0.05, 1)).toEqual([])
})

test('the test of ranks is that of the textbook', () => {
  // Hollander, Wolfe: permeability of the amnion; U = 35, p = 0.2544 exactly, by the normal curve 0.2704 (two-sided, corrected).
  const at = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
  const early = [1.15, 0.88, 0.9, 0.74, 1.21]
  expect(mannWhitney(at, early)).toBeCloseTo(0.2446, 1)
  expect(mannWhitney([1, 2, 3], [1, 2, 3])).toBeCloseTo(1)
  expect(mannWhitney([5, 5, 5], [5, 5, 5])).toBe(1)
})
