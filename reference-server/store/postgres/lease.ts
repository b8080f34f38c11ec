import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { integer, type Row } from '../rows.ts'
import { StoreUnavailable } from '../store.ts'
import type { Postgres } from './postgres.ts'
import {
  changesSql,
  deleteReplicaSql,
  insertReplicaSql,
  latestChangeSql,
  liveKeysSql,
  lockChangesSql,
  moveHoldsSql,
  renewSql,
} from './replicas-sql.ts'

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
      await query(lockChangesSql)
      memory.reset(await query(liveKeysSql))
      const [row = {}] = await query(latestChangeSql)
      seenChange = integer(row, 'number')
      await query(insertReplicaSql, [name, `${LEASE_MS} milliseconds`, seenChange])
      await query(moveHoldsSql, [name, id])
      await query(deleteReplicaSql, [id])
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
      const changed = await postgres.query(changesSql, [seenChange])
      for (const row of changed) {
        memory.update(row)
        seenChange = integer(row, 'number')
      }
      const renewed = await postgres.query(renewSql, [id, `${LEASE_MS} milliseconds`, seenChange])
      if (renewed.length > 0) leasedUntilMs = startMs + LEASE_MS
      else await take()
    },
    async end() {
      await postgres.query(deleteReplicaSql, [id])
    },
  }
}
