import { expect, test } from 'vitest'
import type { SerializedResult } from '../check/result.ts'
import type { Verdict } from '../check/verdict.ts'
import { failuresInOrder, rootsOf, titledRoots } from './roots.ts'

const fail: Verdict = { kind: 'fail', wrong: 'It is odd.', what: 'x', expected: 'a', actual: 'b' }

function result(id: string, given: Partial<SerializedResult> = {}): SerializedResult {
  const plain = { clause: '4.1', states: [], since: '0.1.0', needs: [], exchanges: [], durationMs: 1 } as const
  return { id, level: 'must', basis: 'format', gravity: 'shape', verdict: fail, ...plain, ...given }
}

const fixes = [{ id: 'a.shape', fix: 'Mend the shape.' }]

test('the format comes before the contract, the grave before the light, must before should, what blocks more before the rest', () => {
  const results = [
    result('a.prices', { basis: 'contract', gravity: 'data' }),
    result('a.shape'),
    result('a.shape-should', { level: 'should' }),
    result('a.shape-blocks'),
    result('a.hangs', { gravity: 'service', level: 'should', basis: 'http' }),
    result('a.behind', { verdict: { kind: 'blocked', by: 'a.shape-blocks' } }),
    result('a.known', { gravity: 'service', known: { reason: 'soon', flaky: false } }),
    result('a.passes', { verdict: { kind: 'pass', proofs: 1 } }),
  ]
  const roots = rootsOf(results, fixes)
  const order = ['a.hangs', 'a.shape-blocks', 'a.shape', 'a.shape-should', 'a.prices']
  expect(roots.map(({ id }) => id)).toEqual(order)
  expect(roots[1]?.blocks).toEqual(['a.behind'])
  expect(roots[2]).toMatchObject({
    fix: 'Mend the shape.',
    wrong: 'It is odd.',
    said: 'x: expected a, got b',
    scope: 'format',
  })
  expect(titledRoots(roots).map(({ roots: own }) => own.length)).toEqual([4, 1])
  expect(failuresInOrder(results, roots).map(({ id }) => id)).toEqual(order)
})

test('a report that names no roots keeps its own order', () => {
  const results = [result('a.one'), result('a.two')]
  expect(failuresInOrder(results, []).map(({ id }) => id)).toEqual(['a.one', 'a.two'])
  expect(titledRoots([])).toEqual([])
})
