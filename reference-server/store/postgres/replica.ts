import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { integer } from '../rows.ts'
import { type KeyMemory, LEASE_MS, takeLease } from './lease.ts'
import type { Postgres, Query } from './postgres.ts'

const RENEW_MS = 500
/** After a database that was away, others may need this long to renew leases that ran out meanwhile. */
const GRACE_MS = 1000
const ACKNOWLEDGED_POLL_MS = 10
const CHANNEL = 'assay_key_changes'

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
    await shortenLeases(postgres).catch(() => undefined)
    await postgres.query(sweepSql, [id, `${GRACE_MS} milliseconds`]).catch(() => undefined)
    await forgetOldChanges(postgres).catch(() => undefined)
  }

  await postgres.listen(CHANNEL, () => void attend())
  const timer = setInterval(() => void attend().then(sweep), RENEW_MS)
  timer.unref()

  return {
    id: lease.id,
    async noteChange(query, keyId) {
      // One change after the other, so that their numbers rise in the order in which they become visible.
      await query('LOCK TABLE key_changes IN EXCLUSIVE MODE')
      await query('INSERT INTO key_changes (key_id) VALUES ($1)', [keyId])
      await query(`SELECT pg_notify('${CHANNEL}', '')`)
    },
    async acknowledgedByAll() {
      const [row = {}] = await postgres.query('SELECT coalesce(max(number), 0)::bigint AS number FROM key_changes')
      const change = integer(row, 'number')
      for (;;) {
        const behind = await postgres.query(
          'SELECT id FROM replicas WHERE lease_until > now() AND seen_change < $1 LIMIT 1',
          [change],
        )
        if (behind.length === 0) return
        await sleep(ACKNOWLEDGED_POLL_MS)
      }
    },
    trouble: () => trouble,
    async close() {
      isClosed = true
      clearInterval(timer)
      await working
      await lease.end().catch(() => undefined)
      await postgres.query(orphansSql).catch(() => undefined)
    },
  }
}

/** No live replica is an hour behind. The newest change stays, because new leases count from it. */
async function forgetOldChanges(postgres: Postgres): Promise<void> {
  await postgres.query(
    `DELETE FROM key_changes WHERE at < now() - interval '1 hour' AND number < (SELECT max(number) FROM key_changes)`,
  )
}

/** A lease from before the database's clock was set back would outlive its replica for as long. */
async function shortenLeases(postgres: Postgres): Promise<void> {
  await postgres.query(
    `UPDATE replicas SET lease_until = now() + $1::text::interval WHERE lease_until > now() + 2 * $1::text::interval`,
    [`${LEASE_MS} milliseconds`],
  )
}

const freedSql = `sums AS (SELECT account_id, sum(amount)::bigint AS amount FROM freed GROUP BY account_id)
  UPDATE accounts SET held = held - sums.amount FROM sums WHERE id = sums.account_id`

const isOrphan = 'NOT EXISTS (SELECT 1 FROM replicas WHERE id = replica_id)'

/** Frees the holds of replicas that have ended. */
const orphansSql = `WITH freed AS (DELETE FROM holds WHERE ${isOrphan} RETURNING account_id, amount), ${freedSql}`

/**
 * Frees the holds of replicas whose leases have expired: their requests have ended with them. A statement may reach the
 * database late, so it is the database that looks whether the replica that sent it still has its own lease.
 */
const sweepSql = `WITH own AS (SELECT 1 FROM replicas WHERE id = $1 AND lease_until > now()),
  dead AS (
    DELETE FROM replicas WHERE lease_until <= now() - $2::text::interval AND EXISTS (SELECT 1 FROM own) RETURNING id),
  freed AS (
    DELETE FROM holds WHERE (replica_id IN (SELECT id FROM dead) OR ${isOrphan}) AND EXISTS (SELECT 1 FROM own)
      RETURNING account_id, amount),
  ${freedSql}`
