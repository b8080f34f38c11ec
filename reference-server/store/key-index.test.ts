import { expect, test } from 'vitest'
import { keyIndex } from './key-index.ts'
import type { KeyRecord } from './store.ts'

const key = (id: string, accountId: string): KeyRecord => ({
  id,
  accountId,
  name: id,
  hash: `hash of ${id}`,
  createdAt: 0,
})

test('keys are found by hash and by account until they are removed', () => {
  const keys = keyIndex()
  for (const one of [key('a', 'ada'), key('b', 'ada'), key('c', 'bob')]) keys.add(one)
  const idsOf = (accountId: string): readonly string[] => keys.ofAccount(accountId).map(({ id }) => id)
  expect([idsOf('ada'), idsOf('bob'), idsOf('nobody')]).toEqual([['a', 'b'], ['c'], []])
  expect([keys.remove('a'), keys.remove('a'), keys.remove('c')]).toEqual([true, false, true])
  expect([idsOf('ada'), idsOf('bob')]).toEqual([['b'], []])
  expect([keys.find('hash of a'), keys.find('hash of b')?.id]).toEqual([undefined, 'b'])
  keys.clear()
  expect([keys.find('hash of b'), idsOf('ada')]).toEqual([undefined, []])
})
