import { deleteKeySql, insertKeySql } from '../../store/postgres/accounts-sql.ts'
import * as sql from '../../store/postgres/replicas-sql.ts'
import type { Row } from '../../store/rows.ts'
import { type Given, integerAt, intervalAt, type Statement, textAt } from './statement.ts'
import { freeHolds, Violation } from './tables.ts'

const nothing = { rows: [] }
const lockKey = (given: Given): readonly string[] => [`key ${textAt(given, 1)}`]

const isLeased = ({ tables, nowMs }: Given, id: string): boolean => (tables.replicas.get(id)?.leaseUntilMs ?? 0) > nowMs

/** The statements of keys, their changes and leases, by their SQL. */
export const replicaStatements: ReadonlyMap<string, Statement> = new Map<string, Statement>([
  [insertKeySql, { locks: lockKey, run: insertKey }],
  [
    deleteKeySql,
    {
      locks: lockKey,
      run(given) {
        const { keys } = given.tables
        const key = keys.get(textAt(given, 1))
        if (key === undefined || key['deleted_at'] !== null) return nothing
        const change = (): void => void keys.set(textAt(given, 1), { ...key, deleted_at: integerAt(given, 2) })
        return { rows: [{ id: key['id'] }], change }
      },
    },
  ],
  [sql.lockChangesSql, { locks: () => ['changes, shared'], run: () => nothing }],
  [sql.lockToChangeSql, { locks: () => ['changes'], run: () => nothing }],
  [
    sql.insertChangeSql,
    {
      run(given) {
        const { tables } = given
        tables.lastChange += 1n
        const change = { number: tables.lastChange, keyId: textAt(given, 1) }
        return { rows: [], change: () => void tables.changes.push(change) }
      },
    },
  ],
  [sql.notifySql, { run: ({ notify }) => ({ rows: [], change: notify }) }],
  [sql.latestChangeSql, { run: ({ tables }) => ({ rows: [{ number: tables.changes.at(-1)?.number ?? 0n }] }) }],
  [
    sql.changesSql,
    {
      run: (given) => ({
        rows: given.tables.changes
          .filter(({ number }) => number > integerAt(given, 1))
          .flatMap(({ number, keyId }): Row[] => {
            const key = given.tables.keys.get(keyId)
            return key === undefined ? [] : [{ number, ...key }]
          }),
      }),
    },
  ],
  [
    sql.liveKeysSql,
    { run: ({ tables }) => ({ rows: [...tables.keys.values()].filter((key) => key['deleted_at'] === null) }) },
  ],
  [
    sql.insertReplicaSql,
    {
      run(given) {
        if (given.tables.replicas.has(textAt(given, 1))) throw new Violation('replicas_pkey')
        const row = { leaseUntilMs: given.nowMs + intervalAt(given, 2), seenChange: integerAt(given, 3) }
        return { rows: [], change: () => void given.tables.replicas.set(textAt(given, 1), row) }
      },
    },
  ],
  [
    sql.moveHoldsSql,
    {
      locks: (given) => holdsOf(given, textAt(given, 2)).map(([requestId]) => `hold ${requestId}`),
      run(given) {
        const moved = holdsOf(given, textAt(given, 2))
        const change = (): void => {
          for (const [, hold] of moved) hold.replicaId = textAt(given, 1)
        }
        return { rows: [], change }
      },
    },
  ],
  [
    sql.deleteReplicaSql,
    { run: (given) => ({ rows: [], change: () => void given.tables.replicas.delete(textAt(given, 1)) }) },
  ],
  [sql.renewSql, { run: renew }],
  [
    sql.behindSql,
    {
      run(given) {
        const behind = [...given.tables.replicas].filter(
          ([id, { seenChange }]) => isLeased(given, id) && seenChange < integerAt(given, 1),
        )
        return { rows: behind.slice(0, 1).map(([id]) => ({ id })) }
      },
    },
  ],
  // No world lasts the hour after which changes are forgotten.
  [sql.forgetChangesSql, { run: () => nothing }],
  [
    sql.shortenLeasesSql,
    {
      run(given) {
        const leaseMs = intervalAt(given, 1)
        for (const replica of given.tables.replicas.values())
          if (replica.leaseUntilMs > given.nowMs + 2 * leaseMs) replica.leaseUntilMs = given.nowMs + leaseMs
        return nothing
      },
    },
  ],
  [sql.sweepSql, { locks: lockHolds, run: sweep }],
])

function holdsOf({ tables }: Given, replicaId: string) {
  return [...tables.holds].filter(([, hold]) => hold.replicaId === replicaId)
}

function lockHolds({ tables }: Given): readonly string[] {
  return [...tables.holds].flatMap(([requestId, { accountId }]) => [`hold ${requestId}`, `account ${accountId}`])
}

function insertKey(given: Given) {
  const { tables, values } = given
  const [id, accountId] = [textAt(given, 1), textAt(given, 2)]
  if (!tables.accounts.has(accountId)) return nothing
  const integerOrNull = (position: number): bigint | null =>
    values[position - 1] === null ? null : integerAt(given, position)
  const row = {
    id,
    account_id: accountId,
    name: textAt(given, 3),
    hash: textAt(given, 4),
    requests_per_minute: integerOrNull(5),
    tokens_per_minute: integerOrNull(6),
    created_at: integerAt(given, 7),
    deleted_at: null,
  }
  return { rows: [{ id }], change: () => void tables.keys.set(id, row) }
}

function renew(given: Given) {
  const id = textAt(given, 1)
  const replica = given.tables.replicas.get(id)
  if (replica === undefined || !isLeased(given, id)) return nothing
  replica.leaseUntilMs = given.nowMs + intervalAt(given, 2)
  replica.seenChange = integerAt(given, 3)
  return { rows: [{ id }] }
}

function sweep(given: Given) {
  const { tables, nowMs } = given
  if (!isLeased(given, textAt(given, 1))) return nothing
  const { replicas } = tables
  for (const [id, { leaseUntilMs }] of replicas) if (leaseUntilMs <= nowMs - intervalAt(given, 2)) replicas.delete(id)
  freeHolds(tables, ({ replicaId }) => !replicas.has(replicaId))
  return nothing
}
