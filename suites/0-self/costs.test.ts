import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultsByChecks } from '../../bench/docs/faults-by-check.ts'
import { wrapsNamed } from '../../detection/catalogue.ts'
import { costOf } from '../../src/check/cost.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { startEmbedded } from '../../src/run/embedded.ts'
import { execute } from '../../src/run/execute.ts'
import { checks } from '../index.ts'
import { configFor } from './config.ts'

// `suites/bind.ts` holds all checks to their costs on the embedded gateway, whose text is always the same.
test('no check uses more than its cost where every text is of chance, and no run more than it prints', async () => {
  const { known, close } = await startEmbedded({
    seed: 1,
    wraps: wrapsNamed(['text-of-random-sentences']),
    withNodes: false,
  })
  const config = { ...configFor(known.baseUrl, { keys: { main: known.keys.main ?? '' } }), costly: false }
  const client = checks.filter(({ needs = [] }) => needs.length === 0)
  const randomness = { seed: 1, runs: 10 }
  let most = { requests: 0, tokens: 0 }
  const { results, spending } = await execute(
    { config, selected: client.map(({ id }) => id), randomness, keepAll: false },
    {
      prepared(_, printed) {
        most = printed
      },
    },
  ).finally(close)
  const used = new Map(results.map((result) => [result.id, result.used]))
  for (const check of client) {
    const cost = costOf(check, randomness)
    expect(used.get(check.id)?.requests, check.id).toBeLessThanOrEqual(cost.requests)
    expect(used.get(check.id)?.tokens, check.id).toBeLessThanOrEqual(cost.tokens)
  }
  expect(spending.requests).toBeLessThanOrEqual(most.requests)
  expect(spending.tokens).toBeLessThanOrEqual(most.tokens)
})

test('what a client asks by default is within the tokens that it may use by default', () => {
  const client = checks.filter(({ needs = [] }) => needs.length === 0)
  const tokens = client.reduce((sum, check) => sum + costOf(check, { runs: 100 }).tokens, 0)
  expect(tokens).toBeLessThanOrEqual(144_000)
})

test('the faults that each set of checks must notice are counted as of now (npm run generate)', () => {
  expect(readFileSync(join(packageFolder, 'fixtures', 'checks', 'faults.json'), 'utf8')).toBe(faultsByChecks())
})
