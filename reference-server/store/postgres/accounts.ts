import type { Clock } from '../../clock.ts'
import { amount } from '../../ledger/money.ts'
import { randomId } from '../../random-id.ts'
import { integer, number, type Row, text } from '../rows.ts'
import type { Account, Accounts, Sum } from '../store.ts'
import { accountSql, closeAccountSql, creditSql, deleteKeysOfSql, insertAccountSql } from './accounts-sql.ts'
import type { Postgres, Query } from './postgres.ts'
import type { Replica } from './replica.ts'

export function postgresAccounts({ query, transaction }: Postgres, clock: Clock, replica: Replica): Accounts {
  return {
    async openAccount(name, credit) {
      const id = randomId('acc_')
      const at = clock.unixMs()
      await transaction(async (inside) => {
        await inside(insertAccountSql, [id, name, at])
        if (credit.amount > 0n) await insertCredit(inside, id, at, credit)
      })
      return { id, name, balance: credit.amount, held: amount(0) }
    },
    async account(id) {
      const [row] = await query(accountSql, [id])
      return row && accountOf(row)
    },
    async accounts(named, from, limit) {
      const rows = await query(
        `SELECT * FROM accounts WHERE closed_at IS NULL AND position(lower($1) IN lower(name)) > 0
          ORDER BY created_at DESC, id LIMIT $3 OFFSET $2`,
        [named, from, limit],
      )
      return rows.map(accountOf)
    },
    async closeAccount(id) {
      const at = clock.unixMs()
      const closed = await transaction(async (inside) => {
        const rows = await inside(closeAccountSql, [id, at])
        const deleted = await inside(deleteKeysOfSql, [id, at])
        for (const row of deleted) await replica.noteChange(inside, text(row, 'id'))
        return rows.length > 0
      })
      if (closed) await replica.acknowledgedByAll()
      return closed
    },
    async credit(accountId, credit) {
      const at = clock.unixMs()
      const entry = await transaction((inside) => insertCredit(inside, accountId, at, credit))
      return entry && { kind: 'credit', accountId, number: number(entry, 'number'), at, ...credit }
    },
  }
}

async function insertCredit(query: Query, accountId: string, at: number, { amount: sum, usd, rate }: Sum) {
  const [row] = await query(creditSql, [accountId, sum, at, usd, rate])
  return row
}

function accountOf(row: Row): Account {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    balance: amount(integer(row, 'balance')),
    held: amount(integer(row, 'held')),
  }
}
