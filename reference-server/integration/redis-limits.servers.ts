import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Limits } from '../keys/limits.ts'
import { redisLimits } from '../keys/redis-limits.ts'
import { type Server, startRedis } from './machine.ts'

let redis: Server
let limits: Limits
beforeAll(async () => {
  redis = await startRedis()
  limits = await redisLimits(redis.url)
}, 60_000)
afterAll(async () => {
  await limits.close()
  await redis.stop()
})

test('a refusal is believed for a while without asking Redis again, until a request is given back', async () => {
  const key = { id: 'k', accountId: 'a', name: 'k', hash: 'h', createdAt: 0, requestsPerMinute: 1 }
  const { reservation } = await limits.reserve(key, 5)
  expect(limits.refusalOf(key)).toBeUndefined()
  const { refusal } = await limits.reserve(key, 5)
  expect(refusal).toMatchObject({ unit: 'requests', perMinute: 1 })
  const waitMs = limits.refusalOf(key)?.waitMs ?? 0
  expect(waitMs).toBeGreaterThan(1000)
  expect(waitMs).toBeLessThanOrEqual(refusal?.waitMs ?? 0)
  expect(limits.refusalOf({ ...key, id: 'another' })).toBeUndefined()
  if (reservation !== undefined) limits.giveBack(reservation)
  expect(limits.refusalOf(key)).toBeUndefined()
  expect((await limits.reserve(key, 5)).refusal).toBeUndefined()
})
