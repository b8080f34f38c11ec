import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { integer, type Row } from '../rows.ts'
import { StoreUnavailable } from '../store.ts'
import type { Postgres } from './postgres.ts'

export const LEASE_MS = 2000

/** What a replica does about changes of keys. */
export interface KeyMemory {
  /** Forgets everything and remembers these rows of live keys. */
  reset(rows: readonly Row[]): void
  /** One key's row as it is now. */
  update(row: Row): void
}

/** A replica's right to make promises, which lasts two seconds and is renewed by following the changes of keys. */
export interface Lease {
  /** The replica's name. Throws `StoreUnavailable` without a lease. */
  id(): string
  /** Whether it was held long enough for every other replica to have renewed its own after the database was away. */
  isSteady(): boolean
  /** Applies changes that were not seen yet, then acknowledges them by renewing the lease, or by taking a new one. */
  renew(): Promise<void>
  end(): Promise<void>
}

export async function takeLease(postgres: Postgres, clock: Clock, memory: KeyMemory): Promise<Lease> {
  let id = ''
  let leasedUntilMs = Number.NEGATIVE_INFINITY
  let takenMs = 0
  let seenChange = 0n

  /** Reads every key and takes a lease under a new name, in one snapshot. Requests in flight keep their holds. */
  async function take(): Promise<void> {
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
      await query('UPDATE holds SET replica_id = $1 WHERE replica_id = $2', [name, id])
      await query('DELETE FROM replicas WHERE id = $1', [id])
    })
    id = name
    takenMs = startMs
    leasedUntilMs = startMs + LEASE_MS
  }

  await take()
  return {
    id() {
      if (clock.nowMs() >= leasedUntilMs) throw new StoreUnavailable('this replica has lost its lease')
      return id
    },
    isSteady: () => clock.nowMs() < leasedUntilMs && clock.nowMs() - takenMs >= LEASE_MS,
    async renew() {
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
      else await take()
    },
    async end() {
      await postgres.query('DELETE FROM replicas WHERE id = $1', [id])
    },
  }
}
