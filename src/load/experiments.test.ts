import { expect, test } from 'vitest'
import { comparePairs } from './experiments.ts'
import { planOf, resultOf } from './test-tools.ts'

test('a pair in which one run had no reply to measure is left out, and spoils no figure of the others', async () => {
  const direct = planOf('http://direct', { durationMs: 8000 })
  const through = planOf('http://through', { durationMs: 8000 })
  const ofDirect = [20, undefined, 20, 20]
  const { added } = await comparePairs(direct, through, 4, async (plan) => {
    const ttftMs = plan.url === 'http://direct' ? ofDirect.shift() : 30
    return resultOf(plan, ttftMs === undefined ? 0 : 100, ttftMs ?? 1)
  })
  const found = added.find(({ metric, percentile }) => metric === 'ttft' && percentile === 'p50')
  expect(found).toMatchObject({ direct: expect.closeTo(20, 0), through: expect.closeTo(30, 0) })
  expect(found?.added).toBeCloseTo(10, 0)
  expect(found?.interval).toMatchObject({ low: expect.closeTo(10, 0), high: expect.closeTo(10, 0) })
})
