import { expect, test } from 'vitest'
import { outcomeOf } from './outcome.ts'
import { parsePairs, readPairs } from './pairs.ts'
import { isJudgedFrom, readJudgedPairs } from './results.ts'

const pair = {
  server: 'aimock',
  before: '1.41.0',
  after: '1.42.0',
  bug: 'A body that is no object ended in a 500.',
  known: 'https://github.com/CopilotKit/aimock/pull/440',
  statement: 'request-is-json',
  checks: ['request.body-not-object-refused'],
}

test('a pair that cannot be right is refused with its field', () => {
  expect(parsePairs([pair])).toEqual([pair])
  expect(() => parsePairs([{ ...pair, known: '' }])).toThrow('pair 1 (aimock): "known" is missing')
  expect(() => parsePairs([{ ...pair, server: 'nobody' }])).toThrow('there is no server "nobody"')
  expect(() => parsePairs([{ ...pair, checks: [] }])).toThrow('"checks" names no check')
  expect(() => parsePairs([{ ...pair, checks: ['stop.nothing'] }])).toThrow('there is no check "stop.nothing"')
  expect(() => parsePairs([{ ...pair, statement: 'models-list' }])).toThrow('does not prove "models-list"')
})

const failed = { id: 'a.b', verdict: 'fail' } as const
const passed = { id: 'a.b', verdict: 'pass' } as const

test('a pair is told apart only where every check fails before and passes after', () => {
  expect(outcomeOf({ cells: [failed] }, { cells: [passed] })).toEqual({ kind: 'told' })
  expect(outcomeOf({ cells: [passed] }, { cells: [passed] })).toMatchObject({ kind: 'missed' })
  expect(outcomeOf({ cells: [failed] }, { cells: [failed] })).toMatchObject({ kind: 'missed' })
  expect(outcomeOf({ cells: [failed] }, { cells: [{ id: 'a.b', verdict: 'blocked' }] })).toMatchObject({
    kind: 'missed',
    reason: 'a.b does not pass after: blocked',
  })
  expect(outcomeOf({ cells: [failed, { ...passed, id: 'a.c' }] }, { cells: [passed] })).toMatchObject({
    kind: 'missed',
  })
  expect(outcomeOf({ cells: [] }, { cells: [] })).toMatchObject({ kind: 'missed', reason: 'no check was run' })
  expect(outcomeOf({ problem: '1.0 did not start' }, { cells: [passed] })).toEqual({
    kind: 'not-run',
    reason: '1.0 did not start',
  })
})

test('what is kept of the pairs is of the pairs that are listed, and follows from their verdicts', () => {
  const [listed, judged] = [readPairs(), readJudgedPairs()]
  expect(listed.filter((one) => !judged.some((kept) => isJudgedFrom(kept, one)))).toEqual([])
  expect(judged.filter((kept) => !listed.some((one) => isJudgedFrom(kept, one)))).toEqual([])
  for (const { checks, outcome } of judged) {
    const [before, after] = [checks.flatMap((one) => one.before ?? []), checks.flatMap((one) => one.after ?? [])]
    if (outcome.kind === 'not-run') expect(before.length * after.length).toBe(0)
    else expect(outcomeOf({ cells: before }, { cells: after })).toEqual(outcome)
  }
  expect(JSON.stringify(judged)).not.toMatch(/sk-(?:interop|node|test)-|Bearer sk-|\/home\/|\/root\/|\/tmp\//)
})
