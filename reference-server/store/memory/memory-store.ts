import type { Clock } from '../../clock.ts'
import { amount } from '../../ledger/money.ts'
import { randomId } from '../../random-id.ts'
import { embeddedHolds } from '../embedded/holds.ts'
import { type LiveAccounts, openIn, viewOf } from '../embedded/live-accounts.ts'
import { type KeyIndex, keyIndex } from '../key-index.ts'
import type { Accounts, Keys, Store } from '../store.ts'
import { type MemoryBooks, memoryBooks } from './books.ts'
import { memoryPeople } from './people.ts'
import { memoryRequestLog } from './request-log.ts'

/** A store that ends with its process. Nothing is written, so nothing waits. */
export function memoryStore(clock: Clock): Store {
  const [accounts, keys, ledger]: [LiveAccounts, KeyIndex, MemoryBooks] = [new Map(), keyIndex(), memoryBooks()]
  return {
    ...memoryAccounts(clock, accounts, keys, ledger),
    ...memoryKeys(accounts, keys, ledger),
    ...embeddedHolds(clock, accounts, async (hold, charge, at) => ledger.addCharge(hold, charge, at)),
    ...ledger.books,
    ...memoryPeople(),
    ...memoryRequestLog(ledger.chargesOf),
    close: async () => {},
  }
}

function memoryAccounts(clock: Clock, accounts: LiveAccounts, keys: KeyIndex, ledger: MemoryBooks): Accounts {
  return {
    async openAccount(name, credit) {
      const account = { id: randomId('acc_'), name, balance: credit.amount, held: amount(0), isClosed: false }
      accounts.set(account.id, account)
      if (credit.amount > 0n) ledger.addCredit(account.id, credit, clock.unixMs())
      return viewOf(account)
    },
    async account(id) {
      const account = openIn(accounts, id)
      return account && viewOf(account)
    },
    async closeAccount(id) {
      const account = openIn(accounts, id)
      if (account === undefined) return false
      account.isClosed = true
      for (const key of keys.ofAccount(id)) keys.remove(key.id)
      return true
    },
    async credit(accountId, credit) {
      const account = openIn(accounts, accountId)
      if (account === undefined) return undefined
      account.balance = amount(account.balance + credit.amount)
      return ledger.addCredit(accountId, credit, clock.unixMs())
    },
  }
}

function memoryKeys(accounts: LiveAccounts, keys: KeyIndex, ledger: MemoryBooks): Keys {
  return {
    async addKey(key) {
      if (openIn(accounts, key.accountId) === undefined) return false
      keys.add(key)
      ledger.addKey(key.id, key.accountId)
      return true
    },
    findKey: keys.find,
    keysOf: async (accountId) => keys.ofAccount(accountId),
    deleteKey: async (id) => keys.remove(id),
  }
}
