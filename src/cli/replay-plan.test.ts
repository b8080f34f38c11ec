import { expect, test } from 'vitest'
import type { EvidenceOfCheck } from '../report/evidence.ts'
import { planOf } from './replay-plan.ts'

const evidence: EvidenceOfCheck = {
  baseUrl: 'http://127.0.0.1:1',
  apiPath: '/v1',
  seed: 1,
  runs: 1,
  settlingMs: 40_000,
  hasFailed: true,
  timeoutMs: 30_000,
}

test('a replay waits as long as its run did, unless it is told otherwise', () => {
  expect(planOf(evidence, {}, '.').target).toMatchObject({ settlingMs: 40_000, timeoutMs: 30_000 })
  expect(planOf(evidence, { settling: 5 }, '.').target).toMatchObject({ settlingMs: 5000, timeoutMs: 30_000 })
})
