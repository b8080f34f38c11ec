import { expect, test } from 'vitest'
import { clause, must, should } from '../check/check.ts'
import { fields, idOf } from '../check/test-tools.ts'
import type { Verdict } from '../check/verdict.ts'
import { unaskedOf } from './unasked.ts'

const run = async (): Promise<void> => {}
const checks = clause('1', [
  must(idOf('a.asked'), { ...fields, run }),
  must(idOf('a.left'), { ...fields, cost: { requests: 30, tokens: 0 }, run }),
  should(idOf('a.random'), { ...fields, phase: 'random', cost: { requests: 2, tokens: 0 }, run }),
])

const left = (reason: string): Verdict => ({ kind: 'untestable', cause: 'budget', reason })
const resultsWith = (verdict: Verdict) => [
  { id: 'a.asked', level: 'must' as const, needs: [], verdict: { kind: 'pass', proofs: 1 } as Verdict },
  { id: 'a.left', level: 'must' as const, needs: [], verdict },
  { id: 'a.random', level: 'should' as const, needs: [], verdict },
]
const spent = { requests: 100, durationMs: 100_000, durationMsMax: 100_000, terms: { runs: 10 } }

test('names the time that would do, at the pace of the run', () => {
  expect(unaskedOf(resultsWith(left('--max-time 100 is used up')), checks, spent)).toEqual({
    checks: 2,
    must: 1,
    reason: '--max-time 100 is used up',
    advice: '--max-time 200 should do, at 1.0 s a request',
  })
})

test('names more time than there was, however quick the requests were', () => {
  const results = resultsWith(left('the 30 s left of the 100 s of --max-time are not enough for it'))
  expect(unaskedOf(results, checks, { ...spent, requests: 3000, durationMs: 69_000 })?.advice).toBe(
    '--max-time 200 should do, at 23 ms a request',
  )
})

test('says that a rate limit took the time, if it did', () => {
  const results = resultsWith(left('--max-time 100 is used up'))
  expect(unaskedOf(results, checks, { ...spent, limited: 12 })?.advice).toBe(
    '--max-time 200 should do, at 1.0 s a request, 12 of 100 answered with 429: a higher rate limit spares the waiting',
  )
  expect(unaskedOf(results, checks, { ...spent, limited: 4 })?.advice).toBe(
    '--max-time 200 should do, at 1.0 s a request',
  )
})

test('advises no more time where the target has closed', () => {
  const results = resultsWith(left('the 100 s of --max-time are used up'))
  expect(unaskedOf(results, checks, { ...spent, unavailable: 50 })?.advice).toBe(
    '50 of 100 requests were answered with 503, which more time does not change: --only http.bad-requests-close-nothing tells, right after a restart, whether bad requests close it',
  )
  expect(unaskedOf(results, checks, { ...spent, unavailable: 49 })?.advice).toBe(
    '--max-time 200 should do, at 1.0 s a request',
  )
})

test('counts as required only what makes a run incomplete', () => {
  const verdict = left('the budget has no room for everything')
  const results = [{ id: 'a.left', level: 'must' as const, needs: ['costly'] as const, verdict }]
  expect(unaskedOf(results, checks, spent)).toMatchObject({ checks: 1, must: 0 })
})

test('names the number of requests that would do', () => {
  const unasked = unaskedOf(resultsWith(left('--max-requests 100 is used up')), checks, spent)
  expect(unasked?.advice).toBe('--max-requests 500 should do')
})

test('gives no advice to who interrupted a run, and says nothing where all was asked', () => {
  expect(unaskedOf(resultsWith(left('the run was interrupted')), checks, spent)).not.toHaveProperty('advice')
  expect(unaskedOf(resultsWith({ kind: 'pass', proofs: 1 }), checks, spent)).toBeUndefined()
  const undecided: Verdict = { kind: 'untestable', cause: 'target', reason: 'it was silent' }
  expect(unaskedOf(resultsWith(undecided), checks, spent)).toBeUndefined()
})
