import { expect, test } from 'vitest'
import { honest } from './bug.ts'
import { bugs } from './bugs/bugs.ts'
import { simulate, simulateFrom, type Verdict } from './simulate.ts'

/** A sample of `npm run simulate`. */
const SEEDS = 300

test('nothing is wrong in any world without a planted bug', async () => {
  const verdicts: Verdict[] = []
  await simulateFrom(1, SEEDS, honest, (verdict) => {
    verdicts.push(verdict)
    return false
  })
  expect(verdicts.filter(({ problems }) => problems.length > 0)).toEqual([])
  expect([verdicts.length, verdicts.every(({ requests }) => requests > 1)]).toEqual([SEEDS, true])
})

/** For each planted bug, the first seed in which it shows. */
const showsIn: Readonly<Record<string, number>> = {
  'release-forgotten': 47,
  'free-when-the-client-leaves': 15,
  'hold-charged-whole': 15,
  'reply-before-the-charge': 401,
  'trouble-served-free': 26,
  'trouble-told-as-no-funds': 10,
  'acknowledged-early': 4,
  'torn-group': 28,
  'written-again': 295,
  'failure-swallowed': 10,
  'limits-not-given-back': 10,
  'limits-not-settled': 15,
  'limits-by-the-calendar': 17,
  'limits-looked-up-first': 35,
  'down-node-chosen': 42,
  'choice-remembered': 54,
  'failure-not-noted': 61,
  'recovery-not-noted': 1729,
  'same-node-tried-again': 2,
}

test.each(Object.entries(bugs))('%s shows', async (name, bug) => {
  const { problems } = await simulate(showsIn[name] ?? 1, bug)
  expect(problems).not.toEqual([])
})

test('a seed comes to the same every time, but for random ids', async () => {
  const runs: string[][] = [[], []]
  for (const lines of runs) await simulate(47, honest, (line) => lines.push(line.replaceAll(/req_\w+/g, '')))
  expect(runs[0]?.length).toBeGreaterThan(20)
  expect(runs[0]).toEqual(runs[1])
})
