import { expect, onTestFinished, test } from 'vitest'
import { wrapsNamed } from '../../detection/catalogue.ts'
import { startGateway } from '../../reference-server/main.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import { execute } from '../../src/run/execute.ts'
import { configFor } from './config.ts'

test('a check that is blocked by one outside the selection names that one and what it saw', async () => {
  const gateway = await startGateway({ demo: true, store: 'memory', wraps: wrapsNamed(['temperature-zero-refused']) })
  onTestFinished(() => gateway.close())
  const { apiKey = '' } = gateway.demo ?? {}
  const selected: readonly CheckId[] = ['stop.ends-text', 'chat.answers']
  const { results } = await execute({
    config: configFor(new URL(gateway.baseUrl).origin, { keys: { main: apiKey } }),
    selected,
    randomness: { seed: 1, runs: 1 },
    keepAll: false,
  })
  expect(results.map(({ id }) => id).toSorted()).toEqual([...selected].toSorted())
  expect(results.find(({ id }) => id === 'stop.ends-text')?.verdict).toMatchObject({
    kind: 'blocked',
    by: 'temperature.in-range-accepted',
    root: { what: 'answer to a valid request', expected: 'a 2xx status and a whole body' },
  })
})
