import { describe, expect, test } from 'vitest'
import type { Verdict } from '../check/verdict.ts'
import { gate } from './gate.ts'
import { readKnownFailures, staleEntries, updateKnownFailures } from './known-failures.ts'

const ids = new Set(['a.one', 'a.two', 'a.three', 'a.four'])
const pass: Verdict = { kind: 'pass', proofs: 1 }
const fail: Verdict = { kind: 'fail', what: 'it', expected: '1', actual: '2' }
const blocked: Verdict = { kind: 'blocked', by: 'a.one' }

function results(verdicts: Readonly<Record<string, Verdict>>) {
  return Object.entries(verdicts).map(([id, verdict]) => ({ id, level: 'must' as const, since: '0.1.0', verdict }))
}

const text = `# Why these are known
a.one: the sampler is being rewritten # ticket 7
a.two:
  reason: the proxy cuts now and then
  flaky: true
`

describe('known failures', () => {
  test('have one reason each', () => {
    expect([...readKnownFailures(text, 'f', ids)]).toEqual([
      ['a.one', { reason: 'the sampler is being rewritten', flaky: false }],
      ['a.two', { reason: 'the proxy cuts now and then', flaky: true }],
    ])
    expect(readKnownFailures('', 'f', ids).size).toBe(0)
    for (const [wrong, message] of [
      ['a.nine: x', /"a.nine" is not a check/],
      ['a.one: ""', /"a.one" needs a reason/],
      ['a.one:', /"a.one" needs a reason/],
      ['a.one: {flaky: true}', /"a.one" needs a reason/],
      ['a.one: {reason: x, flaky: 3}', /"flaky" of "a.one"/],
      ['- a.one', /must hold check ids/],
      ['a.one: x\na.one: y', /--known-failures f/],
      ['{', /--known-failures f/],
    ] as const)
      expect(() => readKnownFailures(wrong, 'f', ids), wrong).toThrow(message)
  })

  test('do not fail the run, but other failures do', () => {
    const known = readKnownFailures(text, 'f', ids)
    const rules = { level: 'must', scope: 'contract', allowUndecided: false, known } as const
    expect(gate(results({ 'a.one': fail, 'a.two': fail, 'a.three': pass }), rules).exitCode).toBe(0)
    expect(gate(results({ 'a.one': fail, 'a.three': fail }), rules).exitCode).toBe(1)
  })

  test('fail the run when they pass, unless they are flaky or undecided', () => {
    const known = readKnownFailures(text, 'f', ids)
    const rules = { level: 'must', scope: 'contract', allowUndecided: false, known } as const
    expect(staleEntries(known, results({ 'a.one': pass, 'a.two': pass }))).toEqual(['a.one'])
    const stale = gate(results({ 'a.one': pass, 'a.two': pass }), rules)
    expect([stale.exitCode, stale.reason]).toEqual([1, expect.stringMatching(/a\.one.*--update-known-failures/)])
    expect(gate(results({ 'a.one': blocked, 'a.three': pass }), rules).exitCode).toBe(0)
  })

  test('are updated and keep their comments', () => {
    const now = results({ 'a.one': fail, 'a.two': pass, 'a.three': fail, 'a.four': pass })
    expect(updateKnownFailures(text, 'f', now, '2026-11-21')).toBe(
      `${text}a.three: not explained yet; first seen on 2026-11-21\n`,
    )
    expect(updateKnownFailures('a.one: old\n', 'f', results({ 'a.one': pass }), '2026-11-21')).toBe('')
    expect(updateKnownFailures('', 'f', results({ 'a.one': fail }), '2026-11-21')).toBe(
      'a.one: not explained yet; first seen on 2026-11-21\n',
    )
  })
})
