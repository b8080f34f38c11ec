import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Postgres, Query } from './postgres.ts'
import { integer, type Row, text } from './rows.ts'
import { StoreUnavailable } from './store.ts'

const LEASE_MS = 2000
const RENEW_MS = 500
const ACKNOWLEDGED_POLL_MS = 10
const CHANNEL = 'assay_key_changes'

/**
 * One gateway process among several on a PostgreSQL store. It holds a lease of two seconds, renewed four times in
 * that time. While it holds it, the others wait for it to acknowledge changes of keys; when it loses it, its holds
 * are released by the others and it promises nothing until it has read all keys again under a new name.
 */
export interface Replica {
  /** Throws `StoreUnavailable` without a lease; the name of the replica otherwise. */
  id(): string
  /** Notes a change of a key, as a part of the transaction that makes it. */
  noteChange(query: Query, keyId: string): Promise<void>
  /** Resolves when every replica with a live lease has acknowledged the changes that are committed by now. */
  acknowledgedByAll(): Promise<void>
  close(): Promise<void>
}

/** What a replica does about changes of keys. */
export interface KeyMemory {
  /** Forgets everything and remembers these rows of live keys. */
  reset(rows: readonly Row[]): void
  /** One key's row as it is now. */
  update(row: Row): void
}

export async function joinReplicas(postgres: Postgres, clock: Clock, memory: KeyMemory): Promise<Replica> {
  let id = ''
  let leasedUntilMs = Number.NEGATIVE_INFINITY
  let seenChange = 0n
  let isClosed = false
  let working: Promise<void> = Promise.resolve()

  /** Reads every key and takes a lease under a new name, in one snapshot. */
  async function join(): Promise<void> {
    const name = `rep_${randomBytes(8).toString('hex')}`
    const startMs = clock.nowMs()
    await postgres.transaction(async (query) => {
      // Changes wait for this lock, so none falls between the reading and the lease.
      await query('LOCK TABLE key_changes IN SHARE MODE')
      memory.reset(await query('SELECT * FROM keys WHERE deleted_at IS NULL'))
      const [row = {}] = await query('SELECT coalesce(max(number), 0)::bigint AS number FROM key_changes')
      seenChange = integer(row, 'number')
      await query(`INSERT INTO replicas (id, lease_until, seen_change) VALUES ($1, now() + $2::text::interval, $3)`, [
        name,
        `${LEASE_MS} milliseconds`,
        seenChange,
      ])
    })
    id = name
    leasedUntilMs = startMs + LEASE_MS
  }

  /** Applies changes that were not seen yet, then acknowledges them by renewing the lease. */
  async function renew(): Promise<void> {
    const startMs = clock.nowMs()
    const changed = await postgres.query(
      `SELECT number, keys.* FROM key_changes JOIN keys ON keys.id = key_id WHERE number > $1 ORDER BY number`,
      [seenChange],
    )
    for (const row of changed) {
      memory.update(row)
      seenChange = integer(row, 'number')
    }
    const renewed = await postgres.query(
      `UPDATE replicas SET lease_until = now() + $2::text::interval, seen_change = $3
        WHERE id = $1 AND lease_until > now() RETURNING id`,
      [id, `${LEASE_MS} milliseconds`, seenChange],
    )
    if (renewed.length > 0) leasedUntilMs = startMs + LEASE_MS
    else await join()
  }

  /** One after the other: two at once could apply an old change behind a newer one. */
  function attend(): Promise<void> {
    working = working.then(async () => {
      if (isClosed) return
      await renew().catch(() => undefined)
    })
    return working
  }

  await join()
  await postgres.listen(CHANNEL, () => void attend())
  const timer = setInterval(() => void attend().then(sweep), RENEW_MS)
  timer.unref()

  async function sweep(): Promise<void> {
    if (isClosed) return
    await releaseDeadHolds(postgres).catch(() => undefined)
    await forgetOldChanges(postgres).catch(() => undefined)
  }

  return {
    id() {
      if (clock.nowMs() >= leasedUntilMs) throw new StoreUnavailable('this replica has lost its lease')
      return id
    },
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
    async close() {
      isClosed = true
      clearInterval(timer)
      await working
      await postgres.query('DELETE FROM replicas WHERE id = $1', [id]).catch(() => undefined)
      await releaseDeadHolds(postgres).catch(() => undefined)
    },
  }
}

/** No live replica is an hour behind; the newest change stays, because the numbering of leases begins at it. */
async function forgetOldChanges(postgres: Postgres): Promise<void> {
  await postgres.query(
    `DELETE FROM key_changes WHERE at < now() - interval '1 hour' AND number < (SELECT max(number) FROM key_changes)`,
  )
}

/** Frees the holds of replicas whose lease has run out: their requests have ended with them. */
async function releaseDeadHolds(postgres: Postgres): Promise<void> {
  const dead = await postgres.query('DELETE FROM replicas WHERE lease_until <= now() RETURNING id')
  const names = dead.map((row) => text(row, 'id'))
  await postgres.query(
    `WITH freed AS (
      DELETE FROM holds WHERE replica_id = ANY ($1) OR NOT EXISTS (SELECT 1 FROM replicas WHERE id = replica_id)
        RETURNING account_id, amount),
    sums AS (SELECT account_id, sum(amount)::bigint AS amount FROM freed GROUP BY account_id)
    UPDATE accounts SET held = held - sums.amount FROM sums WHERE id = sums.account_id`,
    [names],
  )
}
