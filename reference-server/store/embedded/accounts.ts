import type { Clock } from '../../clock.ts'
import { amount } from '../../ledger/money.ts'
import { randomId } from '../../random-id.ts'
import type { KeyIndex } from '../key-index.ts'
import { number } from '../rows.ts'
import type { Accounts } from '../store.ts'
import type { Committer } from './committer.ts'
import { type LiveAccounts, openIn, viewOf } from './live-accounts.ts'
import * as sql from './sqlite-statements.ts'

export function embeddedAccounts(committer: Committer, clock: Clock, accounts: LiveAccounts, keys: KeyIndex): Accounts {
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
      const account = openIn(accounts, id)
      return account && viewOf(account)
    },
    async closeAccount(id) {
      const account = openIn(accounts, id)
      if (account === undefined) return false
      account.isClosed = true
      for (const key of keys.ofAccount(id)) keys.remove(key.id)
      await committer.commit(sql.deleteKeysOf(id, clock.unixMs()), sql.closeAccount(id, clock.unixMs()))
      return true
    },
    async credit(accountId, credit) {
      const account = openIn(accounts, accountId)
      if (account === undefined) return undefined
      const at = clock.unixMs()
      const [row = {}] = await committer.commit(...sql.credit(accountId, at, credit))
      account.balance = amount(account.balance + credit.amount)
      return { kind: 'credit', accountId, number: number(row, 'number'), at, ...credit }
    },
  }
}
