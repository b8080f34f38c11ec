import { holdSql, placeSql, undoSql } from '../../store/postgres/holds-sql.ts'
import type { Postgres, Query } from '../../store/postgres/postgres.ts'
import { behindSql, changesSql, insertReplicaSql, renewSql, sweepSql } from '../../store/postgres/replicas-sql.ts'
import type { Bug } from '../bug.ts'

/** `real` carries out the same statement with other values. */
type Instead = (
  real: (values: readonly unknown[]) => ReturnType<Query>,
  values: readonly unknown[],
) => ReturnType<Query>

/** A link on which some statements do something else. */
function instead(statements: readonly string[], work: Instead): (real: Postgres) => Postgres {
  const changed =
    (real: Query): Query =>
    (sql, values = []) =>
      statements.includes(sql) ? work((others) => real(sql, others), values) : real(sql, values)
  return (real) => ({
    ...real,
    query: changed(real.query),
    transaction: (work) => real.transaction((query) => work(changed(query))),
  })
}

const nothing: Instead = async () => []

/** Replicas that do not keep together. */
export const replicaBugs = {
  'hold-sets-nothing-aside': {
    about: 'An account is asked whether it can pay, but the sum is not set aside.',
    world: 'replicas',
    postgres: instead([holdSql], (real, [accountId, _sum, ...rest]) => real([accountId, 0n, ...rest])),
  },
  'lease-shorter-than-believed': {
    about: 'The lease in the database ends before the replica thinks it does.',
    world: 'replicas',
    postgres: instead([renewSql, insertReplicaSql], (real, [id, _lease, seen]) => real([id, '500 milliseconds', seen])),
  },
  'holds-never-swept': {
    about: 'The holds of a replica that has died are never freed.',
    world: 'replicas',
    postgres: instead([sweepSql], nothing),
  },
  'hold-in-doubt-forgotten': {
    about: 'A hold whose answer was lost stays.',
    world: 'replicas',
    postgres: instead([placeSql], async (_real, [requestId]) => [{ request_id: requestId }]),
  },
  'undo-forgotten': {
    about: 'A charge stands although the reply never went out.',
    world: 'replicas',
    postgres: instead([undoSql], nothing),
  },
  'deletion-not-applied': {
    about: 'A replica reads that a key is deleted, says so, and goes on to accept it.',
    world: 'replicas',
    postgres: instead([changesSql], async (real, values) =>
      (await real(values)).map((row) => ({ ...row, deleted_at: null })),
    ),
  },
  'deletion-not-awaited': {
    about: 'A key is said to be deleted before every replica knows.',
    world: 'replicas',
    postgres: instead([behindSql], nothing),
  },
} as const satisfies Record<string, Bug>
