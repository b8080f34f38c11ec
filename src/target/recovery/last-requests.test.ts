import { expect, test } from 'vitest'
import { createLastRequests } from './last-requests.ts'

test('the requests under way at the first loss are named, until anything is answered again', () => {
  const { begin, beforeSilence } = createLastRequests()
  const [answered, lost, another] = [begin('a good one'), begin('a bad one'), begin('a bystander')]
  answered(true)
  expect(beforeSilence()).toEqual([])
  another(false)
  lost(false)
  begin('one that comes too late')(false)
  expect(beforeSilence()).toEqual(['a bad one', 'a bystander'])
  begin('after a restart')(true)
  expect(beforeSilence()).toEqual([])
})
