import type { Clock } from '../../clock.ts'
import { amount } from '../../ledger/money.ts'
import { randomId } from '../../random-id.ts'
import type { KeyIndex } from '../key-index.ts'
import type { Accounts } from '../store.ts'
import type { Journal } from './journal.ts'
import { type LiveAccounts, openIn, viewOf } from './live-accounts.ts'

export function embeddedAccounts(journal: Journal, clock: Clock, accounts: LiveAccounts, keys: KeyIndex): Accounts {
  return {
    async openAccount(name, credit) {
      const id = randomId('acc_')
      await journal.openAccount(id, name, credit, clock.unixMs())
      const account = { id, name, balance: credit.amount, held: amount(0), isClosed: false }
      accounts.set(id, account)
      return viewOf(account)
    },
    async account(id) {
      const account = openIn(accounts, id)
      return account && viewOf(account)
    },
    async accounts(named, from, limit) {
      const wanted = named.toLowerCase()
      const found = [...accounts.values()].filter(
        ({ name, isClosed }) => !isClosed && name.toLowerCase().includes(wanted),
      )
      return found
        .reverse()
        .slice(from, from + limit)
        .map(viewOf)
    },
    async closeAccount(id) {
      const account = openIn(accounts, id)
      if (account === undefined) return false
      account.isClosed = true
      for (const key of keys.ofAccount(id)) keys.remove(key.id)
      await journal.closeAccount(id, clock.unixMs())
      return true
    },
    async credit(accountId, credit) {
      const account = openIn(accounts, accountId)
      if (account === undefined) return undefined
      const at = clock.unixMs()
      const number = await journal.credit(accountId, credit, at)
      account.balance = amount(account.balance + credit.amount)
      return { kind: 'credit', accountId, number, at, ...credit }
    },
  }
}
