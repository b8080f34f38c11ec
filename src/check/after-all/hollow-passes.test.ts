import { expect, test } from 'vitest'
import { must } from '../check.ts'
import type { CheckResult } from '../scheduler.ts'
import { fields, idOf } from '../test-tools.ts'
import type { Verdict } from '../verdict.ts'
import { mayBeHollow, withoutHollowPasses } from './hollow-passes.ts'

const pass: Verdict = { kind: 'pass', proofs: 1, proved: [] }
const fail: Verdict = { kind: 'fail', what: 'status', expected: '200', actual: '404' }

function ended(id: string, verdict: Verdict, refusedSince?: number): CheckResult {
  return {
    check: { ...must(idOf(id), { ...fields, run: async () => {} }), clause: '2.1', since: '0.1.0' },
    verdict,
    exchanges: [],
    durationMs: 1,
    used: { requests: 1, tokens: 0 },
    ...(refusedSince !== undefined && { refusedSince }),
  }
}

const results = (atLast: Verdict): readonly CheckResult[] => [
  ended('a.refused-while-others-were-served', pass, 6),
  ended('a.served-itself', pass),
  ended('a.refused-since', pass, 7),
  ended('a.failed-since', fail, 7),
  ended('service.survives-the-run', atLast),
]

const kindsOf = (all: readonly CheckResult[]): readonly string[] => all.map(({ verdict }) => verdict.kind)

test('a refusal proves nothing where the server refused all that came after it, too', () => {
  expect(kindsOf(withoutHollowPasses(results(fail), 7))).toEqual(['pass', 'pass', 'untestable', 'fail', 'fail'])
})

test('a server that serves a plain request at last meant its refusals', () => {
  expect(kindsOf(withoutHollowPasses(results(pass), 7))).toEqual(['pass', 'pass', 'pass', 'fail', 'pass'])
})

test('a pass waits for the end of the run only while nothing has been served since its check began', () => {
  expect(results(pass).map((result) => mayBeHollow(result, 7))).toEqual([false, false, true, false, false])
})
