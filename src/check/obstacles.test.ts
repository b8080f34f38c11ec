import { expect, test } from 'vitest'
import { obstacleAmong } from './obstacles.ts'
import { idOf } from './test-tools.ts'
import type { Verdict } from './verdict.ts'

const verdicts: Readonly<Record<string, Verdict>> = {
  'a.passing': { kind: 'pass', proofs: 1, proved: ['one'] },
  'a.undecided': { kind: 'untestable', cause: 'text', reason: 'the model says too little' },
  'a.failing': { kind: 'fail', what: 'one', expected: '2', actual: '1' },
  'a.absent': { kind: 'not-applicable', reason: 'the gateway has none' },
}

/** What a check has in its way that depends on these, in this order. */
function among(...ids: readonly string[]): Promise<Verdict | undefined> {
  return obstacleAmong(ids.map(idOf), async (id) => ({
    check: { id },
    verdict: verdicts[id] ?? { kind: 'error', message: 'there is none' },
  }))
}

test('what failed blocks a check, though something else could not be decided', async () => {
  const blocked = { kind: 'blocked', by: 'a.failing' }
  expect(await among('a.undecided', 'a.passing', 'a.failing')).toEqual(blocked)
  expect(await among('a.failing', 'a.undecided')).toEqual(blocked)
})

test('where nothing failed, the first that could not be decided is named', async () => {
  expect(await among('a.passing', 'a.undecided')).toMatchObject({
    kind: 'untestable',
    reason: 'a.undecided could not be decided: the model says too little',
  })
  expect(await among('a.undecided', 'a.absent')).toEqual(verdicts['a.absent'])
  expect(await among('a.passing')).toBeUndefined()
  expect(await among()).toBeUndefined()
})
