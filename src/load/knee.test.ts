import { expect, test } from 'vitest'
import { findKnee, type Knee } from './knee.ts'
import { readObjectives } from './schedule/objective.ts'
import { planOf, resultOf } from './test-tools.ts'

/** The search on a gateway whose first token takes `msFor(connections)`, with so many requests a second on each connection. */
function search(msFor: (connections: number) => number, perS: number, durationMs = 3000): Promise<Knee> {
  const plan = planOf('http://127.0.0.1:1', { objectives: readObjectives('ttft.p95<300ms'), durationMs })
  return findKnee(
    plan,
    1,
    async ({ arrivals, ...own }) => {
      const connections = arrivals.kind === 'closed' ? arrivals.connections : 0
      const count = Math.round((connections * perS * own.durationMs) / 1000)
      return resultOf({ ...own, arrivals }, count, msFor(connections))
    },
    () => {},
  )
}

test('the highest load that meets the objectives is found', async () => {
  const { value, undecided } = await search((connections) => connections * 10, 100)
  expect(value).toBeGreaterThanOrEqual(26)
  expect(value).toBeLessThan(30)
  expect(undecided).toBeUndefined()
})

test('a load with too few requests is tried for longer, and only as long as it must', async () => {
  const { value, points } = await search((connections) => connections * 10, 10)
  expect(value).toBeGreaterThanOrEqual(26)
  const [first, again, next] = points.map(({ value: at, result }) => [at, result.outcomes.sent])
  expect([first, again]).toEqual([
    [1, 30],
    [1, 100],
  ])
  expect(next).toEqual([2, 60])
})

test('where even that is too short, it says so and what to pass', async () => {
  const { value, undecided, points } = await search(() => 250, 1)
  expect(value).toBeNull()
  expect(undecided).toBe('at 1 connection there were too few requests for ttft.p95<300ms; pass --duration 12')
  expect(points.map(({ result }) => result.outcomes.sent)).toEqual([3, 30])
})

test('a load that half of the requests miss is missed, however few they are', async () => {
  const { value, undecided, points } = await search(() => 900, 10)
  expect({ value, undecided, tried: points.length }).toEqual({ value: null, undecided: undefined, tried: 1 })
})
