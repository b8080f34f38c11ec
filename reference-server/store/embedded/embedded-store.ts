import type { Clock } from '../../clock.ts'
import { amount } from '../../ledger/money.ts'
import { type KeyIndex, keyIndex } from '../key-index.ts'
import { pendingEnds } from '../pending-ends.ts'
import { peopleOf } from '../people-sql.ts'
import { requestLogOf } from '../request-log-sql.ts'
import { integer, keyOf, text } from '../rows.ts'
import type { Store } from '../store.ts'
import { embeddedAccounts } from './accounts.ts'
import { embeddedBooks } from './books.ts'
import type { Committer } from './committer.ts'
import { embeddedHolds } from './holds.ts'
import { embeddedKeys } from './keys.ts'
import type { LiveAccounts } from './live-accounts.ts'
import { sqliteJournal } from './sqlite-journal.ts'
import * as sql from './sqlite-statements.ts'

/**
 * The store of one process: keys, balances and holds live in memory, and every change of money or keys is committed
 * before it is acknowledged. After a restart there are no holds, because there are no requests in flight.
 */
export async function embeddedStore(committer: Committer, clock: Clock): Promise<Store> {
  const [accounts, keys] = [await readAccounts(committer), await readKeys(committer)]
  const pending = pendingEnds(clock)
  const journal = sqliteJournal(committer, pending)
  return {
    ...embeddedAccounts(journal, clock, accounts, keys),
    ...embeddedKeys(journal, clock, accounts, keys),
    ...embeddedHolds(journal, clock, accounts),
    ...embeddedBooks(committer),
    ...peopleOf((name, ...values) => committer.commit({ name, values })),
    ...requestLogOf(
      (name, ...values) => committer.commit({ name, values }),
      async (rows) => void (await committer.commit(...sql.logRequests(rows))),
    ),
    trouble: journal.trouble,
    async close() {
      await pending.close()
      await committer.close()
    },
  }
}

async function readAccounts(committer: Committer): Promise<LiveAccounts> {
  const rows = await committer.commit(sql.openAccounts())
  return new Map(
    rows.map((row) => {
      const id = text(row, 'id')
      const balance = amount(integer(row, 'balance'))
      return [id, { id, name: text(row, 'name'), balance, held: amount(0), isClosed: false }]
    }),
  )
}

async function readKeys(committer: Committer): Promise<KeyIndex> {
  const keys = keyIndex()
  for (const row of await committer.commit(sql.liveKeys())) keys.add(keyOf(row))
  return keys
}
