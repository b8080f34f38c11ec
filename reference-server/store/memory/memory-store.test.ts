import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../clock.ts'
import { dayOf } from '../../ledger/day.ts'
import { audit, type Books, charge, commands, sum } from '../store-model.ts'
import { memoryStore } from './memory-store.ts'

const key = { id: 'k1', name: 'one', hash: 'h1', createdAt: 1 }

describe('the memory store', () => {
  test('keeps its books through any order of commands', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (list) => {
        const store = memoryStore(systemClock)
        const real = { store, crash: async () => store }
        const model: Books = { accounts: new Map(), holds: [], ended: [] }
        await fc.asyncModelRun(() => ({ model, real }), list)
        await audit(model, real)
      }),
      { numRuns: 300 },
    )
  })

  test('adds up the usage of each key by model and day, and keeps it when the key is gone', async () => {
    const store = memoryStore(systemClock)
    const { id } = await store.openAccount('owner', sum(100))
    await store.addKey({ ...key, accountId: id })
    await store.addKey({ ...key, id: 'k0', hash: 'h0', accountId: id })
    expect(await store.keyUsage('k1')).toEqual({ requests: 0, promptTokens: 0, completionTokens: 0, usd: 0n })
    for (const [requestId, keyId] of [
      ['r1', 'k1'],
      ['r2', 'k1'],
      ['r3', 'k0'],
    ] as const) {
      const held = await store.hold(requestId, id, sum(10).amount)
      if (held !== undefined) await store.charge(held, charge(10, keyId))
    }
    expect([await store.deleteKey('k1'), await store.deleteKey('k1'), store.findKey('h1')]).toEqual([
      true,
      false,
      undefined,
    ])
    const of = (keyId: string, requests: number) => ({
      keyId,
      model: 'small',
      day: dayOf(Date.now()),
      requests,
      promptTokens: 10 * requests,
      completionTokens: requests,
      usd: BigInt(10 * requests),
    })
    expect(await store.usageByDay(id)).toEqual([of('k0', 1), of('k1', 2)])
    expect(await store.keyUsage('k1')).toMatchObject({ requests: 2, usd: 20n })
    expect(await store.keyUsage('never')).toBeUndefined()
  })

  test('reads its entries by pages in both directions', async () => {
    const store = memoryStore(systemClock)
    const { id } = await store.openAccount('owner', sum(1))
    for (let count = 0; count < 4; count += 1) await store.credit(id, sum(1))
    const numbers = (page: readonly { readonly number: number }[]) => page.map(({ number }) => number)
    expect(numbers(await store.entries(id, 1, 2))).toEqual([2, 3])
    expect(numbers(await store.entriesBefore(id, Number.MAX_SAFE_INTEGER, 2))).toEqual([5, 4])
    expect(numbers(await store.entriesBefore(id, 2, 5))).toEqual([1])
  })

  test('ends sessions at their time, and takes an address once', async () => {
    const store = memoryStore(systemClock)
    const person = { email: 'a@example.org', accountId: 'acc', passwordHash: 'x', createdAt: 1 }
    expect([await store.addPerson(person), await store.addPerson(person)]).toEqual([true, false])
    await store.addSession({ tokenHash: 't', expiresAt: Date.now() + 60_000 })
    expect(await store.session('t', Date.now())).toMatchObject({ tokenHash: 't' })
    expect(await store.session('t', Date.now() + 60_001)).toBeUndefined()
    await store.endSession('t')
    expect(await store.session('t', Date.now())).toBeUndefined()
  })
})
