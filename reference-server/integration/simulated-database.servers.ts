import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Draw, drawFrom } from '../simulation/draw.ts'
import { createDatabase, type Session } from '../simulation/replicas/database.ts'
import { createTimeline } from '../simulation/timeline.ts'
import * as accountsSql from '../store/postgres/accounts-sql.ts'
import * as holdsSql from '../store/postgres/holds-sql.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import * as replicasSql from '../store/postgres/replicas-sql.ts'
import type { Row } from '../store/rows.ts'
import { type OwnServer, startOwnPostgres } from './machine.ts'

let server: OwnServer
let postgres: Postgres
beforeAll(async () => {
  server = await startOwnPostgres()
  postgres = await openPostgres(server.url)
}, 60_000)
afterAll(async () => {
  await postgres.close()
  await server.stop()
})

const STATEMENTS = 1500
const hour = '3600000 milliseconds'

type Statement = readonly [sql: string, ...values: readonly unknown[]]

/** Any statement of the gateway, about few accounts, requests, keys and replicas, so that they meet. */
function anyStatement(draw: Draw, number: number): Statement {
  const account = `account ${draw.between(1, 2)}`
  const request = `request ${draw.between(1, 12)}`
  const replica = `replica ${draw.between(1, 3)}`
  const sum = BigInt(draw.between(0, 30))
  const key = `key ${draw.between(1, number)}`
  return draw.pick<Statement>([
    [accountsSql.accountSql, account],
    [accountsSql.creditSql, account, sum, 1, sum, 1n],
    [accountsSql.entriesSql, account, draw.between(0, 5), draw.between(1, 50)],
    [accountsSql.insertKeySql, `key ${number}`, account, 'name', `hash ${number}`, null, draw.between(1, 9), 1],
    [accountsSql.deleteKeySql, key, 2],
    [holdsSql.holdSql, account, sum, request, replica],
    [holdsSql.holdSql, account, sum, request, replica],
    [holdsSql.placeSql, request, account, replica],
    [holdsSql.chargeSql, request, sum, 1, 'key', 'small', 1, 1, sum, 1n, '1970-01-01'],
    [holdsSql.chargeSql, request, sum, 1, 'key', 'small', 1, 1, sum, 1n, '1970-01-01'],
    [holdsSql.chargedSql, request],
    [holdsSql.releaseSql, request],
    [holdsSql.undoSql, request, `undo ${request}`, 1],
    [replicasSql.insertChangeSql, key],
    [replicasSql.latestChangeSql],
    [replicasSql.changesSql, BigInt(draw.between(0, 200))],
    [replicasSql.liveKeysSql],
    [replicasSql.insertReplicaSql, `replica ${draw.between(1, 3)}`, draw.pick([hour, hour, '0 milliseconds']), 0n],
    [replicasSql.moveHoldsSql, replica, `replica ${draw.between(1, 3)}`],
    [replicasSql.renewSql, replica, draw.pick([hour, hour, '0 milliseconds']), BigInt(draw.between(0, 200))],
    [replicasSql.behindSql, BigInt(draw.between(0, 200))],
    [replicasSql.shortenLeasesSql, '60000 milliseconds'],
    [replicasSql.sweepSql, replica, '0 milliseconds'],
    [replicasSql.deleteReplicaSql, replica],
  ])
}

/** Rows in a fixed order, with those columns that the others have too. */
function comparable(rows: readonly Row[], others: readonly Row[]): readonly string[] {
  const columns = Object.keys(others[0] ?? {})
  return rows.map((row) => columns.map((column) => `${column}=${row[column]}`).join()).sort()
}

test('the simulated PostgreSQL answers like a real one', async () => {
  const simulated = createDatabase({ timeline: createTimeline() })
  const session: Session = { changes: undefined, isEnded: false }
  const draw = drawFrom(1)
  const failures = { real: 0, simulated: 0 }
  async function inBoth([sql, ...values]: Statement): Promise<void> {
    const real = await postgres.query(sql, values).catch(() => undefined)
    let own: readonly Row[] | undefined
    simulated.run(session, sql, values, (answer) => {
      own = 'rows' in answer ? answer.rows : undefined
    })
    if (real === undefined) failures.real += 1
    if (own === undefined) failures.simulated += 1
    const what = `${sql}\n${values.map(String).join()}`
    expect(own === undefined, what).toBe(real === undefined)
    expect(comparable(own ?? [], own ?? []), what).toEqual(comparable(real ?? [], own ?? []))
  }
  for (const name of ['account 1', 'account 2']) await inBoth([accountsSql.insertAccountSql, name, 'name', 1])
  for (let number = 1; number <= STATEMENTS; number += 1) await inBoth(anyStatement(draw, number))
  expect(failures.real).toBeGreaterThan(10)
  expect(failures.simulated).toBe(failures.real)
}, 60_000)
