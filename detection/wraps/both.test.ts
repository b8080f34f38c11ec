import { expect, test } from 'vitest'
import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import { bothWraps } from './both.ts'

const adding = (letter: string): Wrap => ({ frame: (real) => (data, call) => letter + real(data, call) })

test('of two wraps around one seam the first is outside; the seams of only one are kept', () => {
  const outer: Wrap = { ...adding('o'), now: () => () => 7 }
  const both = bothWraps(outer, { ...adding('i'), newId: () => () => 'id' })
  const call = {} as Parameters<Seams['frame']>[1]
  expect(both.frame?.((data) => data)('x', call)).toBe('oix')
  expect([both.now?.(() => 0)(call), both.newId?.(() => '')(call)]).toEqual([7, 'id'])
})
