import { expect, test } from 'vitest'
import { createBreaker } from './breaker.ts'

test('a target that has stopped answering is asked once in a while only, until it answers', () => {
  let now = 10_000
  const breaker = createBreaker(() => now)
  for (let silence = 0; silence < 24; silence += 1) {
    breaker.admit()
    breaker.note('timeout')
  }
  breaker.admit()
  expect(() => breaker.admit()).toThrow('has stopped answering')
  now += 2000
  breaker.admit()
  breaker.note('complete')
  breaker.admit()
  breaker.admit()
})

test('a cut is an answer of a kind', () => {
  const breaker = createBreaker()
  for (let cut = 0; cut < 100; cut += 1) breaker.note('reset')
  expect(() => breaker.admit()).not.toThrow()
})
