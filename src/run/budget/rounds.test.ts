import { expect, test } from 'vitest'
import { type Check, clause, must } from '../../check/check.ts'
import type { CheckResult, Run } from '../../check/scheduler.ts'
import { fields, idOf } from '../../check/test-tools.ts'
import type { Verdict } from '../../check/verdict.ts'
import { askInRounds } from './rounds.ts'

const checks = clause(
  '1',
  ['a.first', 'a.second', 'a.third'].map((id) => must(idOf(id), { ...fields, run: async () => {} })),
)
const [first, second, third] = checks as readonly [Check, Check, Check]

const tooDear: Verdict = { kind: 'untestable', cause: 'budget', reason: 'needs a budget' }
const pass: Verdict = { kind: 'pass', proofs: 1 }

/** What is told of each check where the first has room, and each round has room for what `rounds` names. */
async function told(
  rounds: readonly (readonly Check[])[],
  {
    cut = [],
    putOff = [],
    remainingMs = 1e6,
  }: {
    readonly cut?: readonly Check[]
    readonly putOff?: readonly Check[]
    readonly remainingMs?: number
  } = {},
): Promise<readonly string[]> {
  const queue = [...rounds]
  const runOf = (asked: readonly Check[], despiteForecast = false): Run => ({
    resultOf: async (id) => {
      const check = checks.find((one) => one.id === id)
      const refused = despiteForecast ? cut : [...cut, ...putOff]
      const verdict = asked.some((one) => one.id === id) && !refused.some((one) => one.id === id) ? pass : tooDear
      return { check, verdict } as CheckResult
    },
    goOn: (more, terms) => runOf([...asked, ...more], terms?.despiteForecast),
  })
  const seen: string[] = []
  await askInRounds(
    {
      first: runOf([first]),
      selected: checks,
      plan: { tooDear: new Map([second, third].map((one) => [one.id, tooDear])), moreFor: () => queue.shift() ?? [] },
      target: {
        remainingMs: () => remainingMs,
        spending: { requests: 1, tokens: 1, cuts: 0, limited: 0, unavailable: 0 },
      },
    },
    async ({ check, verdict }) => void seen.push(`${check.id} ${verdict.kind}`),
  )
  return seen
}

test('what the first checks left is given to others, round by round, and each is told once', async () => {
  expect(await told([[second], [third]])).toEqual(['a.first pass', 'a.second pass', 'a.third pass'])
  expect(await told([[third]])).toEqual(['a.first pass', 'a.third pass', 'a.second untestable'])
})

test('whoever is cut in a later round is told as if it had not been tried', async () => {
  expect(await told([[second]], { cut: [second] })).toEqual([
    'a.first pass',
    'a.second untestable',
    'a.third untestable',
  ])
})

test('what was put off has the rest of the time, and is told once', async () => {
  expect(await told([], { putOff: [first] })).toEqual(['a.first pass', 'a.second untestable', 'a.third untestable'])
  expect(await told([], { putOff: [first], remainingMs: 4999 })).toEqual([
    'a.first untestable',
    'a.second untestable',
    'a.third untestable',
  ])
  expect(await told([], { cut: [first] })).toEqual(['a.first untestable', 'a.second untestable', 'a.third untestable'])
})

test('no round begins when too little time is left', async () => {
  expect(await told([[second]], { remainingMs: 0 })).toEqual([
    'a.first pass',
    'a.second untestable',
    'a.third untestable',
  ])
})
