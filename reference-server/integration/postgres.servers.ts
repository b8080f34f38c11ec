import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { amount } from '../ledger/money.ts'
import { postgresStore } from '../store/postgres/postgres-store.ts'
import { expectedOfRequestLog, useRequestLog } from '../store/request-log-model.ts'
import type { Hold, KeyRecord } from '../store/store.ts'
import { audit, type Books, charge, commands, crashing, sum } from '../store/store-model.ts'
import { killRounds } from './kill-rounds.ts'
import { type Server, startPostgres } from './machine.ts'

let server: Server
beforeAll(async () => {
  server = await startPostgres()
}, 60_000)
afterAll(() => server.stop())

describe('the PostgreSQL store', () => {
  test('keeps its books through any order of commands, restarts included', async () => {
    const books = (): Books => ({ accounts: new Map(), holds: [], ended: [] })
    await fc.assert(
      fc.asyncProperty(fc.commands([...commands, crashing], { maxCommands: 25, size: 'max' }), async (list) => {
        const model = books()
        const first = await postgresStore(server.url, systemClock)
        const real = {
          store: first,
          async crash() {
            await real.store.close()
            return postgresStore(server.url, systemClock)
          },
        }
        await fc.asyncModelRun(() => ({ model, real }), list)
        await audit(model, real)
        await real.store.close()
      }),
      { numRuns: 100 },
    )
  }, 120_000)

  test('ends a request once, charged or released', async () => {
    const store = await postgresStore(server.url, systemClock)
    const { id } = await store.openAccount('owner', sum(10))
    for (const [request, end] of [
      ['charged', (hold: Hold) => store.charge(hold, charge(2))],
      ['released', (hold: Hold) => store.release(hold)],
    ] as const) {
      const hold = await store.hold(`req_${id}_${request}`, id, amount(3))
      if (hold === undefined) throw new Error('the account can pay')
      await end(hold)
      await expect(store.charge(hold, charge(2))).rejects.toThrow('has already ended')
    }
    expect(await store.account(id)).toMatchObject({ balance: 8n, held: 0n })
    await store.close()
  })

  test('tells every replica of new, changed and deleted keys before it answers', async () => {
    const [one, other] = [await postgresStore(server.url, systemClock), await postgresStore(server.url, systemClock)]
    const { id: accountId } = await one.openAccount('owner', sum(10))
    for (let turn = 0; turn < 20; turn += 1) {
      const key: KeyRecord = { id: `k${turn}`, accountId, name: 'n', hash: `h${accountId}${turn}`, createdAt: 1 }
      await one.addKey(key)
      expect(other.findKey(key.hash)?.id).toBe(key.id)
      const terms = { name: 'renamed', requestsPerMinute: turn + 1 }
      expect(await other.changeKey(key.id, terms)).toBe(true)
      expect([one.findKey(key.hash), await one.key(key.id)]).toEqual([
        { ...key, ...terms },
        { ...key, ...terms },
      ])
      await other.deleteKey(key.id)
      expect(one.findKey(key.hash)).toBeUndefined()
      expect([await one.changeKey(key.id, terms), await one.key(key.id)]).toEqual([false, undefined])
    }
    await Promise.all([one.close(), other.close()])
  })

  test('lists open accounts by their names, the newest first', async () => {
    const store = await postgresStore(server.url, systemClock)
    const opened: string[] = []
    for (const name of ['Listed one', 'listed two', 'listed three'])
      opened.push((await store.openAccount(name, sum(1))).id)
    await store.closeAccount(opened[1] ?? '')
    const found = await store.accounts('LISTED', 0, 10)
    expect(found.map(({ name }) => name).sort()).toEqual(['Listed one', 'listed three'])
    expect((await store.accounts('listed', 1, 10)).length).toBe(1)
    await store.close()
  })

  test('finds requests by what they are', async () => {
    const store = await postgresStore(server.url, systemClock)
    expect(await useRequestLog(store)).toEqual(expectedOfRequestLog)
    await store.close()
  })

  test('keeps its books through kill -9 under load', async () => {
    const { wrong, complete, charges } = await killRounds(server.url, 3)
    expect(wrong).toEqual([])
    expect(complete).toBeGreaterThan(30)
    expect(charges).toBeGreaterThanOrEqual(complete)
  }, 120_000)
})
