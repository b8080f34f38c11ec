import { dayUsageOf, entryOf, hourUsageOf, usageOf } from '../rows.ts'
import type { Books } from '../store.ts'
import type { Committer } from './committer.ts'
import * as sql from './sqlite-statements.ts'

export function embeddedBooks({ commit }: Committer): Books {
  return {
    entries: async (accountId, after, limit) => (await commit(sql.entries(accountId, after, limit))).map(entryOf),
    entriesBefore: async (accountId, before, limit) =>
      (await commit(sql.entriesBefore(accountId, before, limit))).map(entryOf),
    async keyUsage(keyId) {
      const [row] = await commit(sql.keyUsage(keyId))
      return row && usageOf(row)
    },
    usageByDay: async (accountId) => (await commit(sql.usageByDay(accountId))).map(dayUsageOf),
    usageByHour: async (accountId, since) => (await commit(sql.usageByHour(accountId, since))).map(hourUsageOf),
  }
}
