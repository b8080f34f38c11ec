import { Redis } from 'ioredis'
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

test('what a key uses without a limit is not held against it: it is forgotten as soon as any, and not owed under a later limit', async () => {
  const key = { id: 'k2', accountId: 'a', name: 'k2', hash: 'h2', createdAt: 0 }
  const { reservation } = await limits.reserve({ ...key, requestsPerMinute: 100 }, 1_000_000)
  if (reservation !== undefined) limits.commit(reservation, 2_000_000)
  const client = new Redis(redis.url)
  const [name = ''] = await client.keys('*k2*')
  const [forgottenInMs, kept] = [await client.pttl(name), await client.hgetall(name)]
  client.disconnect()
  expect(forgottenInMs).toBeLessThanOrEqual(120_000)
  expect(kept).not.toHaveProperty('tokens')
  expect((await limits.reserve({ ...key, tokensPerMinute: 100 }, 90)).refusal).toBeUndefined()
  expect((await limits.reserve({ ...key, tokensPerMinute: 100 }, 90)).refusal).toMatchObject({ unit: 'tokens' })
  expect((await limits.reserve({ ...key, requestsPerMinute: 1 }, 5)).refusal).toBeUndefined()
})
