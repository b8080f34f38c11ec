import { expect, onTestFinished, test } from 'vitest'
import { wrapsNamed } from '../../detection/catalogue.ts'
import { startGateway } from '../../reference-server/main.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import { execute } from '../../src/run/execute.ts'
import { configFor } from './config.ts'

/** What is found of a reference gateway that is broken in these ways. */
async function resultsOf(broken: readonly string[], selected: readonly CheckId[]) {
  const gateway = await startGateway({ demo: true, store: 'memory', wraps: wrapsNamed(broken) })
  onTestFinished(() => gateway.close())
  const { apiKey = '' } = gateway.demo ?? {}
  const { results } = await execute({
    config: configFor(new URL(gateway.baseUrl).origin, { keys: { main: apiKey } }),
    selected,
    randomness: { seed: 1, runs: 1 },
    keepAll: false,
  })
  return results
}

test('a check that is blocked by one outside the selection names that one and what it saw', async () => {
  const selected: readonly CheckId[] = ['stop.ends-text', 'chat.answers']
  const results = await resultsOf(['temperature-zero-refused'], selected)
  expect(results.map(({ id }) => id).toSorted()).toEqual([...selected].toSorted())
  expect(results.find(({ id }) => id === 'stop.ends-text')?.verdict).toMatchObject({
    kind: 'blocked',
    by: 'temperature.in-range-accepted',
    root: { what: 'answer to a valid request', expected: 'a 2xx status and a whole body' },
  })
})

test('a stream that nobody asked for is called one', async () => {
  const [result] = await resultsOf(['stream-by-default', 'stream-false-ignored'], ['chat.answers'])
  expect(result?.verdict).toMatchObject({ kind: 'fail', what: 'choices in the reply, which is an event stream' })
})
