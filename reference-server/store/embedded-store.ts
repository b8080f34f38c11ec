import type { Clock } from '../clock.ts'
import { dayOf } from '../ledger/day.ts'
import { type Amount, amount } from '../ledger/money.ts'
import { randomId } from '../random-id.ts'
import type { Committer } from './committer.ts'
import { peopleOf } from './people.ts'
import { dayUsageOf, entryOf, integer, keyOf, number, type Row, text, usageOf } from './rows.ts'
import * as sql from './sqlite-statements.ts'
import type { Account, Entry, Hold, KeyRecord, Store } from './store.ts'

interface LiveAccount {
  readonly id: string
  readonly name: string
  balance: Amount
  held: Amount
  /** Closed accounts start nothing; what is in flight still ends and is charged. */
  isClosed: boolean
}

/**
 * The store of one process: keys, balances and holds live in memory, every change of money or keys is committed
 * before it is acknowledged. A restart knows no holds, for it has no requests in flight.
 */
export async function embeddedStore(committer: Committer, clock: Clock): Promise<Store> {
  const accounts = new Map<string, LiveAccount>()
  const keys = new Map<string, KeyRecord>()
  const hashes = new Map<string, string>()
  const holds = new Map<string, Hold>()

  for (const row of await committer.commit(sql.openAccounts())) {
    const account = { id: text(row, 'id'), name: text(row, 'name'), held: amount(0), isClosed: false }
    accounts.set(account.id, { ...account, balance: amount(integer(row, 'balance')) })
  }
  for (const row of await committer.commit(sql.liveKeys())) remember(keyOf(row))

  function remember(key: KeyRecord): void {
    keys.set(key.hash, key)
    hashes.set(key.id, key.hash)
  }
  function forget(keyId: string): boolean {
    const hash = hashes.get(keyId)
    return hash !== undefined && hashes.delete(keyId) && keys.delete(hash)
  }
  function end(hold: Hold): LiveAccount | undefined {
    if (!holds.delete(hold.requestId)) return undefined
    const account = accounts.get(hold.accountId)
    if (account !== undefined) account.held = amount(account.held - hold.amount)
    return account
  }
  function open(id: string): LiveAccount | undefined {
    const account = accounts.get(id)
    return account?.isClosed === false ? account : undefined
  }
  const viewOf = ({ id, name, balance, held }: LiveAccount): Account => ({ id, name, balance, held })

  return {
    async openAccount(name, credit) {
      const id = randomId('acc_')
      const at = clock.unixMs()
      await committer.commit(sql.insertAccount(id, name, at), ...(credit.amount > 0n ? sql.credit(id, at, credit) : []))
      const account = { id, name, balance: credit.amount, held: amount(0), isClosed: false }
      accounts.set(id, account)
      return viewOf(account)
    },
    async account(id) {
      const account = open(id)
      return account && viewOf(account)
    },
    async closeAccount(id) {
      const account = open(id)
      if (account === undefined) return false
      account.isClosed = true
      for (const key of [...keys.values()]) if (key.accountId === id) forget(key.id)
      await committer.commit(sql.deleteKeysOf(id, clock.unixMs()), sql.closeAccount(id, clock.unixMs()))
      return true
    },
    async credit(accountId, credit) {
      const account = open(accountId)
      if (account === undefined) return undefined
      const at = clock.unixMs()
      const [row = {}] = await committer.commit(...sql.credit(accountId, at, credit))
      account.balance = amount(account.balance + credit.amount)
      return { kind: 'credit', accountId, number: number(row, 'number'), at, ...credit } satisfies Entry
    },

    async addKey(key) {
      if (open(key.accountId) === undefined) return false
      await committer.commit(sql.insertKey(key))
      remember(key)
      return true
    },
    findKey: (hash) => keys.get(hash),
    keysOf: async (accountId) => [...keys.values()].filter((key) => key.accountId === accountId),
    async deleteKey(id) {
      // Refused from here on; the answer waits until a restart would refuse it too.
      if (!forget(id)) return false
      await committer.commit(sql.deleteKey(id, clock.unixMs()))
      return true
    },

    hold(requestId, accountId, sum) {
      const account = open(accountId)
      if (account === undefined || account.balance - account.held < sum) return undefined
      account.held = amount(account.held + sum)
      const hold = { requestId, accountId, amount: sum }
      holds.set(requestId, hold)
      return hold
    },
    async charge(hold, charge) {
      if (charge.amount > hold.amount) throw new RangeError('a charge can not be larger than its hold')
      const account = end(hold)
      if (account === undefined) throw new Error(`request ${hold.requestId} has ended before`)
      account.balance = amount(account.balance - charge.amount)
      const at = clock.unixMs()
      try {
        await committer.commit(...sql.charge(hold, charge, at, dayOf(at)))
      } catch (error) {
        account.balance = amount(account.balance + charge.amount)
        throw error
      }
    },
    async release(hold) {
      end(hold)
    },

    async entries(accountId, after, limit) {
      return (await committer.commit(sql.entries(accountId, after, limit))).map(entryOf)
    },
    async entriesBefore(accountId, before, limit) {
      return (await committer.commit(sql.entriesBefore(accountId, before, limit))).map(entryOf)
    },
    async keyUsage(keyId) {
      const [row] = await committer.commit(sql.keyUsage(keyId))
      return row === undefined ? undefined : usageOf(row)
    },
    async usageByDay(accountId) {
      return (await committer.commit(sql.usageByDay(accountId))).map((row: Row) => dayUsageOf(row))
    },
    ...peopleOf((name, ...values) => committer.commit({ name, values })),
    close: () => committer.close(),
  }
}
