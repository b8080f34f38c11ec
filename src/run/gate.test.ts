import { describe, expect, test } from 'vitest'
import { checkIds } from '../check/check-ids.ts'
import type { Verdict } from '../check/verdict.ts'
import { compareVersions, gate } from './gate.ts'
import { readRequirementSet, requirementSets } from './requirement-sets.ts'
import { readSettings } from './settings.ts'

const rules = { level: 'must', scope: 'contract', allowUndecided: false } as const
const pass: Verdict = { kind: 'pass', proofs: 1 }
const fail: Verdict = { kind: 'fail', what: 'x', expected: 'a', actual: 'b' }
const undecided: Verdict = { kind: 'untestable', cause: 'target', reason: 'x' }
const error: Verdict = { kind: 'error', message: 'x' }
const judged = (level: 'must' | 'should', verdict: Verdict, needs: readonly string[] = [], since = '0.1.0') => ({
  id: 'a.b',
  level,
  since,
  basis: 'contract' as const,
  needs,
  verdict,
})
const ofFormat = (level: 'must' | 'should', verdict: Verdict) => ({
  ...judged(level, verdict),
  basis: 'format' as const,
})

describe('the gate', () => {
  test.each([
    ['all pass', [judged('must', pass)], rules, 0],
    ['a must fails', [judged('must', pass), judged('must', fail)], rules, 1],
    ['a should fails at level must', [judged('must', pass), judged('should', fail)], rules, 0],
    [
      'a should fails at level should',
      [judged('must', pass), judged('should', fail)],
      { ...rules, level: 'should' },
      1,
    ],
    ['a failure beside an undecided must', [judged('must', fail), judged('must', undecided)], rules, 1],
    ['a failure beside an error', [judged('must', fail), judged('must', error)], rules, 1],
    ['an undecided must', [judged('must', pass), judged('must', undecided)], rules, 3],
    [
      'an undecided must with --allow-undecided',
      [judged('must', pass), judged('must', undecided)],
      { ...rules, allowUndecided: true },
      0,
    ],
    ['an undecided should', [judged('must', pass), judged('should', undecided)], rules, 0],
    [
      'an undecided must that needs more than a client',
      [judged('must', pass), judged('must', undecided, ['second-key'])],
      rules,
      0,
    ],
    ['a text that proves nothing', [judged('must', pass), judged('must', { ...undecided, cause: 'text' })], rules, 0],
    ['nothing that counts', [judged('must', fail)], { ...rules, scope: 'format' }, 3],
    ['an error', [judged('must', pass), judged('must', error)], rules, 4],
    [
      'an undecided must beside an error',
      [judged('must', pass), judged('must', undecided), judged('must', error)],
      rules,
      3,
    ],
    [
      'a failure of a check that came after the set',
      [judged('must', pass), { ...judged('must', fail), id: 'a.later' }],
      { ...rules, set: { name: '2026-11', checks: ['a.b'] } },
      0,
    ],
    [
      'a failure of a check of the set',
      [judged('must', pass), judged('must', fail)],
      { ...rules, set: { name: '2026-11', checks: ['a.b'] } },
      1,
    ],
    [
      'what only the contract demands, in scope format',
      [ofFormat('must', pass), judged('must', fail), judged('must', undecided)],
      { ...rules, scope: 'format' },
      0,
    ],
    ['what the format demands, in scope format', [ofFormat('must', fail)], { ...rules, scope: 'format' }, 1],
    ['nothing decided', [judged('must', error)], rules, 3],
    ['no check at all', [], rules, 3],
    [
      'a newer check that fails',
      [judged('must', pass), judged('must', fail, [], '0.2.0')],
      { ...rules, checksOf: '0.1.9' },
      0,
    ],
  ] as const)('%s', (_, results, given, exitCode) => {
    expect(gate(results, given).exitCode).toBe(exitCode)
  })

  test('compares versions by their numbers', () => {
    expect(compareVersions('0.10.0', '0.9.9')).toBeGreaterThan(0)
    expect(compareVersions('1.0.0', '1.0.0')).toBe(0)
  })
})

describe.each(requirementSets)('requirement set %s', (name) => {
  test('names checks that exist, each once', () => {
    const own = readRequirementSet(name)
    const register: readonly string[] = checkIds
    expect(own.length).toBeGreaterThan(400)
    expect(own.filter((id, place) => !register.includes(id) || own.indexOf(id) !== place)).toEqual([])
  })
})

test('--set gates by the checks of its set, and an unknown set is refused by name', () => {
  const settingsOf = (name: string) => readSettings(['--set', name], {}, '.')
  expect(settingsOf('2026-11').plan.gate.set).toEqual({ name: '2026-11', checks: readRequirementSet('2026-11') })
  expect(() => settingsOf('1999-01')).toThrow('--set 1999-01: there is no such set; known are 2026-11.')
})
