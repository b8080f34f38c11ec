import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../clock.ts'
import { newDatabase } from '../../integration/new-database.ts'
import { openStore } from '../open-store.ts'
import { type KeyRecord, StoreUnavailable } from '../store.ts'
import { audit, type Books, charge, commands, crashing, sum } from '../store-model.ts'
import { type Committer, fileCommitter } from './committer.ts'
import { embeddedStore } from './embedded-store.ts'
import { sqliteEngine } from './sqlite-engine.ts'

function emptyBooks(): Books {
  return { accounts: new Map(), holds: [], ended: [] }
}

/** A restart reads what was committed; what the process had in memory is gone. */
async function shopOn(committer: Committer) {
  const open = () => embeddedStore(committer, systemClock)
  return { store: await open(), crash: open }
}

/** Commits at once, on this thread, to a database in memory. */
function memoryCommitter(): Committer {
  const engine = sqliteEngine(':memory:')
  return {
    async commit(...group) {
      const [outcome] = engine.commit([group])
      if (outcome === undefined || 'error' in outcome) throw new Error(outcome?.error)
      return outcome.rows
    },
    close: async () => engine.close(),
  }
}

const key: Omit<KeyRecord, 'accountId'> = { id: 'k1', name: 'one', hash: 'h1', createdAt: 1, requestsPerMinute: 5 }

describe('the embedded store', () => {
  test('keeps its books through any order of commands, crashes included', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands([...commands, crashing], { maxCommands: 40, size: 'max' }), async (list) => {
        const real = await shopOn(memoryCommitter())
        const model = emptyBooks()
        await fc.asyncModelRun(() => ({ model, real }), list)
        await audit(model, real)
        await real.store.close()
      }),
      { numRuns: 1000 },
    )
  }, 120_000)

  test('has everything that it acknowledged after it was closed and opened again', async () => {
    const path = newDatabase(onTestFinished)
    const first = await openStore(`sqlite:${path}`, systemClock)
    const { id } = await first.openAccount('owner', sum(100))
    await first.addKey({ ...key, accountId: id })
    expect(await first.changeKey('k1', { name: 'renamed', tokensPerMinute: 7 })).toBe(true)
    const { requestsPerMinute: _, ...unlimited } = key
    const changed = { ...unlimited, accountId: id, name: 'renamed', tokensPerMinute: 7 }
    expect(first.findKey('h1')).toEqual(changed)
    const held = await first.hold('r1', id, sum(30).amount)
    if (held === undefined) throw new Error('the account can pay')
    await first.charge(held, charge(20, 'k1'))
    await first.hold('r2', id, sum(30).amount)
    await first.close()

    const second = await openStore(`sqlite:${path}`, systemClock)
    expect(await second.account(id)).toMatchObject({ balance: 80n, held: 0n })
    expect([second.findKey('h1'), await second.key('k1')]).toEqual([changed, changed])
    expect(await second.keyUsage('k1')).toEqual({ requests: 1, promptTokens: 20, completionTokens: 1, usd: 20n })
    expect(await second.usageByDay(id)).toHaveLength(1)
    await second.deleteKey('k1')
    expect([await second.changeKey('k1', { name: 'gone' }), await second.key('k1')]).toEqual([false, undefined])
    await second.close()

    const third = await openStore(`sqlite:${path}`, systemClock)
    expect(third.findKey('h1')).toBeUndefined()
    expect(await third.keyUsage('k1')).toMatchObject({ requests: 1 })
    expect(await third.keyUsage('never')).toBeUndefined()
    await third.close()
  })

  test('one charge that fails does not harm those that share its commit', async () => {
    const committer = await fileCommitter(newDatabase(onTestFinished))
    const store = await embeddedStore(committer, systemClock)
    const { id } = await store.openAccount('owner', sum(100))
    const holds = ['r1', 'r2', 'r3'].map((name) => store.hold(name, id, sum(10).amount))
    // The books know this request already, as if another process had written it.
    await committer.commit(
      { name: 'moveBalance', values: [0, id] },
      { name: 'insertCharge', values: [0, 'r2', 'k', 'm', 0, 0, 0, 0, 1, id] },
    )
    const outcomes = await Promise.allSettled(
      holds.map(async (held) => {
        const taken = await held
        if (taken !== undefined) await store.charge(taken, charge(10))
      }),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await store.account(id)).toMatchObject({ balance: 80n, held: 0n })
    await store.close()
  })

  test('a charge that cannot be written is written later, or dropped with its hold; until then nothing is promised', async () => {
    const committer = memoryCommitter()
    let isFull = false
    const store = await embeddedStore(
      {
        ...committer,
        commit: (...group) => (isFull ? Promise.reject(new StoreUnavailable('full')) : committer.commit(...group)),
      },
      systemClock,
    )
    const { id } = await store.openAccount('owner', sum(100))
    const [streamed, refused] = [await store.hold('r1', id, sum(30).amount), await store.hold('r2', id, sum(30).amount)]
    if (streamed === undefined || refused === undefined) throw new Error('the account can pay')
    isFull = true
    const outcomes = await Promise.allSettled([store.charge(streamed, charge(20)), store.charge(refused, charge(20))])
    expect(outcomes).toEqual([1, 2].map(() => ({ status: 'rejected', reason: expect.any(StoreUnavailable) })))
    expect(store.trouble()).toBe('full')
    expect(() => store.hold('r3', id, sum(1).amount)).toThrow(StoreUnavailable)
    await store.release(refused)
    isFull = false
    await expect.poll(() => store.trouble()).toBeUndefined()
    expect(await store.account(id)).toMatchObject({ balance: 80n, held: 0n })
    expect((await store.entries(id, 0, 10)).map(({ requestId }) => requestId)).toEqual([undefined, 'r1'])
    await store.release(streamed)
    expect(await store.account(id)).toMatchObject({ balance: 80n, held: 0n })
    await store.close()
  })

  test('keeps its entries in order when the clock is set back', async () => {
    let unixMs = 1_790_000_000_000
    const store = await openStore('memory', { ...systemClock, unixMs: () => (unixMs -= 3_600_000) })
    const { id } = await store.openAccount('owner', sum(100))
    for (const name of ['r1', 'r2']) {
      const held = await store.hold(name, id, sum(10).amount)
      if (held !== undefined) await store.charge(held, charge(10))
    }
    const entries = await store.entries(id, 0, 10)
    expect(entries.map(({ number, requestId }) => [number, requestId])).toEqual([
      [1, undefined],
      [2, 'r1'],
      [3, 'r2'],
    ])
    expect(await store.account(id)).toMatchObject({ balance: 80n, held: 0n })
    await store.close()
  })

  test('a closed account starts nothing, and what is in flight is still charged', async () => {
    const store = await openStore('memory', systemClock)
    const { id } = await store.openAccount('owner', sum(100))
    await store.addKey({ ...key, accountId: id })
    const held = await store.hold('r1', id, sum(10).amount)
    expect([await store.closeAccount(id), await store.closeAccount(id)]).toEqual([true, false])
    expect(store.findKey('h1')).toBeUndefined()
    expect(await store.account(id)).toBeUndefined()
    expect(await store.hold('r2', id, sum(1).amount)).toBeUndefined()
    expect(await store.addKey({ ...key, id: 'k2', accountId: id })).toBe(false)
    if (held !== undefined) await store.charge(held, charge(10))
    expect(await store.entries(id, 0, 10)).toHaveLength(2)
    await store.close()
  })

  test('a file that another gateway has open is refused by name', async () => {
    const path = newDatabase(onTestFinished)
    const first = await openStore(`sqlite:${path}`, systemClock)
    await expect(openStore(`sqlite:${path}`, systemClock)).rejects.toThrow(/Another gateway has it open/)
    await first.close()
    await expect(openStore('mysql://x', systemClock)).rejects.toThrow(/memory, sqlite:FILE or postgres/)
  })
})
