import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { type OwnServer, startOwnRedis } from './machine.ts'
import { expectSurvived } from './trouble.ts'

/** A limit that nobody reaches, so that every request needs Redis. */
const wide = { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000 }

/** More than the 250 ms for which a refusal of Redis is believed. */
const believedMs = 300

let redis: OwnServer
let gateway: GatewayProcess
beforeAll(async () => {
  redis = await startOwnRedis()
  gateway = await startGatewayProcess(['--store', 'memory', '--redis', redis.url])
})
afterAll(async () => {
  await gateway.kill()
  await redis.stop()
})

async function limitedKey(requestsPerMinute: number): Promise<{ readonly id: string; readonly key: string }> {
  const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'limited', creditUsd: '1' })
  return gateway.control('POST', `/accounts/${id}/keys`, { name: 'limited', requestsPerMinute })
}

async function command(...args: readonly [string, ...string[]]): Promise<void> {
  const client = new Redis(redis.url)
  await client.call(...args)
  client.disconnect()
}

describe('a gateway on a Redis', () => {
  test('that is gone and comes back', ({ task }) =>
    expectSurvived(gateway, { begin: () => redis.crash(), end: () => redis.start() }, { task, limits: wide }))

  test('that is paused', ({ task }) =>
    expectSurvived(gateway, { begin: () => redis.pause(), end: () => redis.resume() }, { task, limits: wide }))

  test('that is gone serves keys without limits', async () => {
    const { id } = await gateway.control<{ id: string }>('POST', '/accounts', { name: 'free', creditUsd: '1' })
    const { key } = await gateway.control<{ key: string }>('POST', `/accounts/${id}/keys`, { name: 'free' })
    await redis.crash()
    expect((await gateway.chat(key)).status).toBe(200)
    await redis.start()
    const limited = await limitedKey(1000)
    await expect.poll(async () => (await gateway.chat(limited.key)).status, { timeout: 5000 }).toBe(200)
  })

  test('that was flushed limits keys from then on', async () => {
    const { key } = await limitedKey(2)
    const statuses: number[] = []
    for (const turn of ['one', 'two', 'three', 'flush', 'five', 'six', 'seven']) {
      if (turn === 'flush') {
        await command('flushall')
        await sleep(believedMs)
      } else statuses.push((await gateway.chat(key)).status)
    }
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
  })

  test('whose clock was set back an hour lets the same requests through as before', async () => {
    const { id, key } = await limitedKey(600)
    expect((await gateway.chat(key)).status).toBe(200)
    await command('hset', `assay:limits:${id}:600:0`, 'at', String(Date.now() + 3_600_000))
    expect((await gateway.chat(key)).status).toBe(200)
  })
})
