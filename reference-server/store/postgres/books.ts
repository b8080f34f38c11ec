import { usageByHourSql } from '../books-sql.ts'
import { dayUsageOf, entryOf, hourUsageOf, usageOf } from '../rows.ts'
import type { Books } from '../store.ts'
import { entriesSql } from './accounts-sql.ts'
import type { Postgres } from './postgres.ts'

/** PostgreSQL numbers values with a dollar. */
const byHour = usageByHourSql.replaceAll('?', '$')

export function postgresBooks({ query }: Postgres): Books {
  return {
    async entries(accountId, after, limit) {
      const rows = await query(entriesSql, [accountId, after, limit])
      return rows.map(entryOf)
    },
    async entriesBefore(accountId, before, limit) {
      const rows = await query(
        'SELECT * FROM entries WHERE account_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3',
        [accountId, before, limit],
      )
      return rows.map(entryOf)
    },
    async keyUsage(keyId) {
      const [row] = await query(
        `SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
          coalesce(sum(completion_tokens), 0)::bigint AS completion_tokens, coalesce(sum(usd), 0)::bigint AS usd
        FROM keys LEFT JOIN usage_days ON key_id = id WHERE id = $1 GROUP BY id`,
        [keyId],
      )
      return row && usageOf(row)
    },
    async usageByDay(accountId) {
      const rows = await query('SELECT * FROM usage_days WHERE account_id = $1 ORDER BY day DESC, key_id, model', [
        accountId,
      ])
      return rows.map(dayUsageOf)
    },
    usageByHour: async (accountId, since) => (await query(byHour, [accountId, since])).map(hourUsageOf),
  }
}
