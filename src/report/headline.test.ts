import { expect, test } from 'vitest'
import type { SerializedResult } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import { headline } from './headline.ts'

const pass: Verdict = { kind: 'pass', proofs: 1 }
const fail: Verdict = { kind: 'fail', what: 'x', expected: 'a', actual: 'b' }
const none: Verdict = { kind: 'not-applicable', reason: 'has none' }
const lacks: Verdict = { kind: 'untestable', cause: 'capability', reason: 'needs control' }

function result(verdict: Verdict, known?: SerializedResult['known']): SerializedResult {
  const plain = {
    clause: '1',
    states: [],
    level: 'must',
    since: '0.1.0',
    needs: [],
    exchanges: [],
    durationMs: 1,
  } as const
  return { id: 'a.b', ...plain, verdict, ...(known !== undefined && { known }) }
}

const gate = (exitCode: number) => ({ level: 'must' as const, exitCode, reason: '' })

test.each([
  ['Conformant', 0, [result(pass), result(none)]],
  ['Conformant in what was tested: 1 of 3; 1 not decided', 0, [result(pass), result(lacks), result(none)]],
  ['Gate passed with 1 known failure', 0, [result(pass), result(fail, { reason: 'soon', flaky: false })]],
  ['Not conformant', 1, [result(fail)]],
  ['Not decided', 3, [result(lacks)]],
])('%s', (words, exitCode, results) => {
  expect(headline({ gate: gate(exitCode), results })).toBe(words)
})
