import { expect, test } from 'vitest'
import { createLastRequests } from './last-requests.ts'

test('the requests under way at the first loss are named, until anything is answered again', () => {
  const { begin, beforeSilence } = createLastRequests()
  const [answered, lost, another] = [begin('a good one'), begin('a bad one'), begin('a bystander')]
  answered('served')
  expect(beforeSilence()).toEqual([])
  another('lost')
  lost('lost')
  begin('one that comes too late')('lost')
  expect(beforeSilence()).toEqual(['a bad one', 'a bystander'])
  begin('after a restart')('refused')
  expect(beforeSilence()).toEqual([])
})

test('the first requests that were refused are named, until one is served again', () => {
  const { begin, sinceServed, served } = createLastRequests()
  begin('a mistake')('refused')
  begin('a good one')('served')
  expect(sinceServed()).toEqual([])
  const slow = begin('a good one that takes long')
  begin('the one that did it')('refused')
  slow('served')
  for (const name of ['a bystander', 'a bystander']) begin(name)('refused')
  begin('the list')('answered')
  expect(sinceServed()).toEqual(['the one that did it', 'a bystander'])
  for (let count = 0; count < 20; count += 1) begin(`one that comes too late: ${count}`)('refused')
  expect(sinceServed()).toHaveLength(8)
  expect(served()).toBe(2)
})
