import { expect, test } from 'vitest'
import { plain } from '../dialect/plain.ts'
import { bodyPlan } from './body-plan.ts'

test('a reply announces its length, unless its wire is to have none', () => {
  const body = { status: 200, headers: {}, bytes: Buffer.from('{"id":"x"}'), atMs: 0 }
  expect(bodyPlan(body, {}, plain).head?.headers).toEqual({ 'content-length': '10' })
  expect(bodyPlan(body, { wire: { length: false } }, plain).head?.headers).toEqual({})
})
