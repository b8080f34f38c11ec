import { dayOf } from '../../ledger/day.ts'
import type { PendingEnds } from '../pending-ends.ts'
import { number } from '../rows.ts'
import type { Committer } from './committer.ts'
import type { Journal } from './journal.ts'
import type { Statement } from './sqlite-sql.ts'
import * as sql from './sqlite-statements.ts'

export function sqliteJournal({ commit }: Committer, pending: PendingEnds): Journal {
  /** Memory has moved on already, so this is written in any case, if need be later. */
  function settle(name: string, ...group: readonly Statement[]): Promise<void> {
    return pending.settle(name, async () => {
      await commit(...group)
    })
  }

  return {
    trouble: () => pending.trouble,
    async openAccount(id, name, credit, at) {
      await commit(sql.insertAccount(id, name, at), ...(credit.amount > 0n ? sql.credit(id, at, credit) : []))
    },
    closeAccount: (id, at) => settle(id, sql.deleteKeysOf(id, at), sql.closeAccount(id, at)),
    async credit(accountId, credit, at) {
      const [row = {}] = await commit(...sql.credit(accountId, at, credit))
      return number(row, 'number')
    },
    async addKey(key) {
      await commit(sql.insertKey(key))
    },
    async changeKey(id, terms) {
      await commit(sql.changeKey(id, terms))
    },
    deleteKey: (id, at) => settle(id, sql.deleteKey(id, at)),
    charge: (hold, charge, at) => settle(hold.requestId, ...sql.charge(hold, charge, at, dayOf(at))),
    cancelCharge: pending.cancel,
  }
}
