import { expect, test } from 'vitest'
import { honest } from './bug.ts'
import { bugs } from './bugs/bugs.ts'
import { simulate, simulateFrom, type Verdict } from './simulate.ts'

/** A sample of `npm run simulate`. */
const SEEDS = 200

test('nothing is wrong in any world without a planted bug', async () => {
  const verdicts: Verdict[] = []
  await simulateFrom(1, SEEDS, honest, (verdict) => {
    verdicts.push(verdict)
    return false
  })
  expect(verdicts.filter(({ problems }) => problems.length > 0)).toEqual([])
  expect([verdicts.length, verdicts.every(({ requests }) => requests > 1)]).toEqual([SEEDS, true])
})

test('a charge may be missing where two pauses of the database and a cut kept a replica from renewing its lease', async () => {
  expect((await simulate(258_776)).problems).toEqual([])
})

/** For each planted bug, the first seed in which it shows. */
const showsIn: Readonly<Record<string, number>> = {
  'release-forgotten': 131,
  'free-when-the-client-leaves': 57,
  'hold-charged-whole': 1,
  'reply-before-the-charge': 302,
  'trouble-served-free': 88,
  'trouble-told-as-no-funds': 64,
  'acknowledged-early': 47,
  'torn-group': 83,
  'written-again': 1106,
  'failure-swallowed': 35,
  'limits-not-given-back': 64,
  'limits-not-settled': 1,
  'limits-by-the-calendar': 39,
  'limits-looked-up-first': 6,
  'down-node-chosen': 59,
  'choice-remembered': 59,
  'failure-not-noted': 777,
  'recovery-not-noted': 582,
  'same-node-tried-again': 28,
  'hold-sets-nothing-aside': 8,
  'lease-shorter-than-believed': 336,
  'holds-never-swept': 264,
  'hold-in-doubt-forgotten': 144,
  'undo-forgotten': 5872,
  'deletion-not-applied': 160,
  'deletion-not-awaited': 128,
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
