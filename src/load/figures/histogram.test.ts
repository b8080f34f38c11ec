import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GapLog } from '../meter/gap-log.ts'
import { createHistogram, statsOf, unreliable } from './histogram.ts'

const values = fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 400 })

test('percentiles are within a thousandth of the values', () => {
  fc.assert(
    fc.property(values, (all) => {
      const histogram = createHistogram()
      for (const value of all) histogram.record(value)
      const sorted = all.toSorted((one, other) => one - other)
      const exact = sorted[Math.ceil(0.9 * sorted.length) - 1] ?? 0
      const { p90, min, max, count } = histogram.stats()
      expect(Math.abs(p90 - exact)).toBeLessThanOrEqual(exact * 1e-3 + 1e-3)
      expect([min, max, count]).toEqual([sorted[0], sorted.at(-1), all.length])
      histogram.free()
    }),
  )
})

test('histograms merge by addition: the parts give what the whole gives', () => {
  fc.assert(
    fc.property(values, fc.nat(), (all, at) => {
      const [whole, one, other] = [createHistogram(), createHistogram(), createHistogram()]
      all.forEach((value, index) => {
        whole.record(value)
        ;(index <= at % all.length ? one : other).record(value)
      })
      const { mean, ...merged } = statsOf([one.serialize(), other.serialize()])
      const { mean: expected, ...stats } = whole.stats()
      expect(merged).toEqual(stats)
      expect(mean).toBeCloseTo(expected, 6)
      for (const histogram of [whole, one, other]) histogram.free()
    }),
  )
})

test('a percentile needs five values beyond it', () => {
  expect(unreliable(499)).toEqual(['p99', 'p999'])
  expect(unreliable(500)).toEqual(['p999'])
  expect(unreliable(9)).toContain('p50')
})

test('the gaps of an endless stream are kept in little room, to three digits', () => {
  const log = new GapLog()
  for (let at = 0; at < 100_000; at += 1) log.push(20 + (at % 100) / 10)
  let count = 0
  let sum = 0
  let entries = 0
  log.forEach((gapMs, times) => {
    count += times
    sum += gapMs * times
    entries += 1
  })
  expect(count).toBe(100_000)
  expect(sum / count).toBeCloseTo(24.95, 1)
  expect(entries).toBeLessThan(5000)
  expect(log.largestMs).toBe(29.9)
})
