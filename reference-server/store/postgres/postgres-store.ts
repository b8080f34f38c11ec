import type { Clock } from '../../clock.ts'
import { keyIndex } from '../key-index.ts'
import { pendingEnds } from '../pending-ends.ts'
import { peopleOf, peopleSql } from '../people-sql.ts'
import { requestColumns, requestLogOf, requestLogSql } from '../request-log-sql.ts'
import { keyOf, text } from '../rows.ts'
import type { Store } from '../store.ts'
import { postgresAccounts } from './accounts.ts'
import { postgresBooks } from './books.ts'
import { postgresHolds } from './holds.ts'
import { postgresKeys } from './keys.ts'
import { openPostgres, type Postgres } from './postgres.ts'
import { joinReplicas } from './replica.ts'

/** The store of any number of replicas: money and holds are rows, keys are in every replica's memory. */
export async function postgresStore(url: string, clock: Clock): Promise<Store> {
  return storeOn(await openPostgres(url), clock)
}

/** The same on a link that is already open, and that ends with the store. */
export async function storeOn(postgres: Postgres, clock: Clock): Promise<Store> {
  const keys = keyIndex()
  const pending = pendingEnds(clock)
  const replica = await joinReplicas(postgres, clock, {
    reset(rows) {
      keys.clear()
      for (const row of rows) keys.add(keyOf(row))
    },
    update(row) {
      if (row['deleted_at'] === null) keys.add(keyOf(row))
      else keys.remove(text(row, 'id'))
    },
  }).catch(async (error: unknown) => {
    await postgres.close()
    throw error
  })
  return {
    ...postgresAccounts(postgres, clock, replica),
    ...postgresKeys(postgres, clock, replica, keys),
    ...postgresHolds(postgres, clock, replica, pending),
    ...postgresBooks(postgres),
    ...peopleOf((name, ...values) => postgres.query(people[name], values)),
    ...requestLogOf(
      (name, ...values) => postgres.query(requestLog[name], values),
      async (rows) => void (await postgres.query(logSql, [JSON.stringify(rows)])),
    ),
    trouble: () => replica.trouble() ?? pending.trouble,
    async close() {
      await pending.close()
      await replica.close()
      await postgres.close()
    },
  }
}

/** PostgreSQL numbers the values of a statement with a dollar. */
function inPostgres<Name extends string>(statements: Readonly<Record<Name, string>>): Readonly<Record<Name, string>> {
  const translated = Object.entries<string>(statements).map(([name, sql]) => {
    let count = 0
    return [name, sql.replaceAll(/\?(\d*)/g, (_, number: string) => `$${number || ++count}`)]
  })
  return Object.fromEntries(translated) as Record<Name, string>
}

const people = inPostgres(peopleSql)
const requestLog = inPostgres(requestLogSql)

/** A whole batch as one value: over the network it costs little more than one request. */
const logSql = `INSERT INTO requests (${requestColumns})
  SELECT value ->> 0, CAST(value ->> 1 AS BIGINT), value ->> 2, value ->> 3, value ->> 4, value ->> 5,
    CAST(value ->> 6 AS BIGINT), value ->> 7, CAST(value ->> 8 AS BIGINT), CAST(value ->> 9 AS BIGINT)
  FROM json_array_elements(CAST($1 AS JSON)) AS rows (value)`
