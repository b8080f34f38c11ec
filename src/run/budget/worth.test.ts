import { expect, test } from 'vitest'
import type { CheckId } from '../../check/check-ids.ts'
import { worthOf } from './worth.ts'

const as = (id: CheckId) => ({ id, level: 'must', gravity: 'data' }) as const
const text = as('max-tokens.limits-the-text')
const count = as('max-tokens.count-within-limit')

test('what others notice anyway is not worth asking for twice', () => {
  const alone = worthOf([text], new Set())
  expect(worthOf([text], new Set([count.id]))).toBeLessThan(alone)
  expect(worthOf([text, count], new Set())).toBeLessThan(alone + worthOf([count], new Set()))
  expect(worthOf([text], new Set(['models.object']))).toBe(alone)
})

test('a check of which no broken gateway is known is worth something too, and more the surer it is', () => {
  const unknown = { id: 'a.unknown' as CheckId, gravity: 'data' } as const
  expect(worthOf([{ ...unknown, level: 'open' }], new Set())).toBeGreaterThan(0)
  expect(worthOf([{ ...unknown, level: 'must' }], new Set())).toBeGreaterThan(
    worthOf([{ ...unknown, level: 'should' }], new Set()),
  )
})
