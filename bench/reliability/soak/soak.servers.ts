import { expect, test } from 'vitest'
import { soak } from './soak.ts'

const durationMs = 12_000

/** Nodes that hang keep their requests for most of a minute after the end. */
test('a gateway that is used in every way at once has nothing wrong; one that leaks holds has', async () => {
  const [honest, leaking] = await Promise.all([
    soak({ durationMs, seed: 1 }),
    soak({ durationMs, seed: 1, gatewayArgs: ['--fault', 'hold-leaks-on-abort'] }),
  ])
  expect(honest.problems).toEqual([])
  expect([...honest.tallies].filter(([, tally]) => tally.size === 0).map(([{ about }]) => about)).toEqual([])
  expect(leaking.problems).toEqual([expect.stringMatching(/^0\.\d+ is held although nothing is under way$/)])
}, 180_000)
