import type { Clock } from '../../clock.ts'
import { integer } from '../rows.ts'
import { type KeyMemory, LEASE_MS, takeLease } from './lease.ts'
import type { Postgres, Query } from './postgres.ts'
import {
  behindSql,
  CHANNEL,
  forgetChangesSql,
  insertChangeSql,
  latestChangeSql,
  lockToChangeSql,
  notifySql,
  orphansSql,
  shortenLeasesSql,
  sweepSql,
} from './replicas-sql.ts'

const RENEW_MS = 500
/** After a database that was away, others may need this long to renew leases that ran out meanwhile. */
const GRACE_MS = 1000
const ACKNOWLEDGED_POLL_MS = 10

/**
 * One gateway process among several on a PostgreSQL store. It holds a lease of two seconds and renews it four times
 * in that time. While it holds the lease, the others wait for it to acknowledge changes of keys. When it loses it, the
 * others release its holds, and it promises nothing until it has read all keys again under a new name.
 */
export interface Replica {
  /** The name of the replica. Throws `StoreUnavailable` without a lease. */
  id(): string
  /** Notes a change of a key, as a part of the transaction that makes it. */
  noteChange(query: Query, keyId: string): Promise<void>
  /** Resolves when every replica with a live lease has acknowledged all changes committed so far. */
  acknowledgedByAll(): Promise<void>
  /** Why the lease could not be renewed the last time, if so. */
  trouble(): string | undefined
  close(): Promise<void>
}

export async function joinReplicas(postgres: Postgres, clock: Clock, memory: KeyMemory): Promise<Replica> {
  const lease = await takeLease(postgres, clock, memory)
  let isClosed = false
  let working: Promise<void> = Promise.resolve()
  let trouble: string | undefined

  /** One after the other: two at once could apply an old change after a newer one. */
  function attend(): Promise<void> {
    working = working.then(async () => {
      if (isClosed) return
      trouble = await lease.renew().then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
    })
    return working
  }

  async function sweep(): Promise<void> {
    if (isClosed || !lease.isSteady()) return
    const id = lease.id()
    await postgres.query(shortenLeasesSql, [`${LEASE_MS} milliseconds`]).catch(() => undefined)
    await postgres.query(sweepSql, [id, `${GRACE_MS} milliseconds`]).catch(() => undefined)
    await postgres.query(forgetChangesSql).catch(() => undefined)
  }

  await postgres.listen(CHANNEL, () => void attend())
  const endRenewal = clock.every(RENEW_MS, () => void attend().then(sweep))

  return {
    id: lease.id,
    async noteChange(query, keyId) {
      await query(lockToChangeSql)
      await query(insertChangeSql, [keyId])
      await query(notifySql)
    },
    async acknowledgedByAll() {
      const [row = {}] = await postgres.query(latestChangeSql)
      const change = integer(row, 'number')
      for (;;) {
        const behind = await postgres.query(behindSql, [change])
        if (behind.length === 0) return
        await clock.sleep(ACKNOWLEDGED_POLL_MS)
      }
    },
    trouble: () => trouble,
    async close() {
      isClosed = true
      endRenewal()
      await working
      await lease.end().catch(() => undefined)
      await postgres.query(orphansSql).catch(() => undefined)
    },
  }
}
