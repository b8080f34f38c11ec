import { expect, test } from 'vitest'
import type { Check } from '../../src/check/check.ts'
import { inOrder, isPerfect, scoreOf } from './score.ts'
import type { Subject } from './subjects.ts'
import type { Examined } from './worker.ts'

const subjectOf = (name: string): Subject => ({ kind: 'fault', name, entries: [name], setting: {} })
const checks = [{ id: 'chunk.id', clause: '2.4', level: 'must' } as Partial<Check> as Check]
const faults = { a: { about: '', breaks: ['chunk.id'] }, b: { about: '', breaks: ['chunk.id'] } }
const caught = (name: string): Examined => ({
  subject: subjectOf(name),
  results: [
    {
      id: 'chunk.id',
      verdict: { kind: 'fail', wrong: 'An id is missing.', what: '', expected: '', actual: '' },
    },
  ],
})

const scoreFor = (...examined: Examined[]) =>
  scoreOf(inOrder([subjectOf('a'), subjectOf('b')], examined), faults, checks)

test('a score is perfect where every subject was examined and caught', () => {
  expect(isPerfect(scoreFor(caught('b'), caught('a')))).toBe(true)
  expect(scoreFor(caught('b'), caught('a')).faults.map(({ name }) => name)).toEqual(['a', 'b'])
})

test('a check that stands behind another for the same cause has noticed, and is no stranger', () => {
  const saw = { what: '', expected: '', actual: '' }
  const behind = (id: string) => ({ id, verdict: { kind: 'blocked', by: 'chunk.id', saw } }) as const
  const one: Examined = { subject: subjectOf('a'), results: [...caught('a').results, behind('chunk.index')] }
  expect(isPerfect(scoreOf([one], faults, checks))).toBe(true)
  const both = { a: { about: '', breaks: ['chunk.id', 'chunk.index'] } }
  expect(isPerfect(scoreOf([one], both, checks))).toBe(true)
})

test('and is not where one was left out', () => {
  const score = scoreFor(caught('a'))
  expect(isPerfect(score)).toBe(false)
  expect(score.problems).toEqual(['b could not be judged: it was never examined'])
})

test('a fault of which one check is enough is caught by any of them', () => {
  const cells = { a: { about: '', breaks: ['chunk.object', 'chunk.id'], enough: 'one' as const } }
  const score = scoreOf([caught('a')], cells, checks)
  expect(isPerfect(score)).toBe(true)
  expect(isPerfect(scoreOf([{ subject: subjectOf('a'), results: [] }], cells, checks))).toBe(false)
})

test('a failure that is told by a sentence that cannot be true is a problem', () => {
  const fail = {
    kind: 'fail',
    wrong: 'A bad value was served.',
    what: 'status',
    expected: 'no 2xx',
    actual: '500',
  } as const
  const told: Examined = { subject: subjectOf('a'), results: [{ id: 'chunk.id', verdict: fail }] }
  const score = scoreOf([told], faults, checks)
  expect(score.problems).toEqual([expect.stringContaining('a: chunk.id is told wrongly: status 500 contradicts it')])
  expect(isPerfect(score)).toBe(false)
})
