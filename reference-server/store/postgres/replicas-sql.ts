/** Changes wait for this lock, so none falls between the reading of the keys and the lease. */
export const lockChangesSql = 'LOCK TABLE key_changes IN SHARE MODE'

/** One change after the other, so that their numbers rise in the order in which they become visible. */
export const lockToChangeSql = 'LOCK TABLE key_changes IN EXCLUSIVE MODE'

export const insertChangeSql = 'INSERT INTO key_changes (key_id) VALUES ($1)'

export const CHANNEL = 'assay_key_changes'

export const notifySql = `SELECT pg_notify('${CHANNEL}', '')`

export const latestChangeSql = 'SELECT coalesce(max(number), 0)::bigint AS number FROM key_changes'

/** The keys that changed since, as they are now. */
export const changesSql =
  'SELECT number, keys.* FROM key_changes JOIN keys ON keys.id = key_id WHERE number > $1 ORDER BY number'

export const liveKeysSql = 'SELECT * FROM keys WHERE deleted_at IS NULL'

export const insertReplicaSql =
  'INSERT INTO replicas (id, lease_until, seen_change) VALUES ($1, now() + $2::text::interval, $3)'

export const moveHoldsSql = 'UPDATE holds SET replica_id = $1 WHERE replica_id = $2'

export const deleteReplicaSql = 'DELETE FROM replicas WHERE id = $1'

export const renewSql = `UPDATE replicas SET lease_until = now() + $2::text::interval, seen_change = $3
  WHERE id = $1 AND lease_until > now() RETURNING id`

/** A replica that has a lease and has not seen a change. */
export const behindSql = 'SELECT id FROM replicas WHERE lease_until > now() AND seen_change < $1 LIMIT 1'

/** No live replica is an hour behind. The newest change stays, because new leases count from it. */
export const forgetChangesSql = `DELETE FROM key_changes WHERE at < now() - interval '1 hour'
  AND number < (SELECT max(number) FROM key_changes)`

/** A lease from before the database's clock was set back would outlive its replica for as long. */
export const shortenLeasesSql =
  'UPDATE replicas SET lease_until = now() + $1::text::interval WHERE lease_until > now() + 2 * $1::text::interval'

const freedSql = `sums AS (SELECT account_id, sum(amount)::bigint AS amount FROM freed GROUP BY account_id)
  UPDATE accounts SET held = held - sums.amount FROM sums WHERE id = sums.account_id`

const isOrphan = 'NOT EXISTS (SELECT 1 FROM replicas WHERE id = replica_id)'

/** Frees the holds of replicas that have ended. */
export const orphansSql = `WITH freed AS (DELETE FROM holds WHERE ${isOrphan} RETURNING account_id, amount), ${freedSql}`

/**
 * Frees the holds of replicas whose leases have expired: their requests have ended with them. A statement may reach the
 * database late, so it is the database that looks whether the replica that sent it still has its own lease.
 */
export const sweepSql = `WITH own AS (SELECT 1 FROM replicas WHERE id = $1 AND lease_until > now()),
  dead AS (
    DELETE FROM replicas WHERE lease_until <= now() - $2::text::interval AND EXISTS (SELECT 1 FROM own) RETURNING id),
  freed AS (
    DELETE FROM holds WHERE (replica_id IN (SELECT id FROM dead) OR ${isOrphan}) AND EXISTS (SELECT 1 FROM own)
      RETURNING account_id, amount),
  ${freedSql}`
