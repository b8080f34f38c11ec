import pg from 'pg'
import { type Migration, migrations } from '../migrations.ts'
import type { Row } from '../rows.ts'

const CONNECTIONS_MAX = 16
/** Any number. Whoever migrates holds this lock, so that replicas that start together migrate once. */
const MIGRATION_LOCK = 7_305_201

/** PostgreSQL's number for the type `bigint`, which the driver returns as text by default. */
const INT8 = 20

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8 ? (text: string) => BigInt(text) : pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>

export interface Postgres {
  readonly query: Query
  /** Runs `work` on one connection, all of it or nothing. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** Calls `onNotice` whenever somebody notifies the channel. It has its own connection. */
  listen(channel: string, onNotice: () => void): Promise<void>
  close(): Promise<void>
}

/** Connects and migrates. */
export async function openPostgres(url: string): Promise<Postgres> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS_MAX, types, connectionTimeoutMillis: 5000 })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  let listener: pg.Client | undefined
  let isClosed = false

  async function transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const result = await work(queryOf(client))
      await client.query('COMMIT')
      client.release()
      return result
    } catch (error) {
      // The connection itself may have failed, so it is not used again.
      client.release(true)
      throw error
    }
  }

  async function listen(channel: string, onNotice: () => void): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    client.on('notification', onNotice)
    client.on('error', () => {
      if (isClosed) return
      void client.end().catch(() => undefined)
      setTimeout(() => void listen(channel, onNotice).catch(() => undefined), 500).unref()
    })
    await client.connect()
    await client.query(`LISTEN ${channel}`)
    listener = client
    onNotice()
  }

  try {
    await transaction(migrate)
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    query: queryOf(pool),
    transaction,
    listen,
    async close() {
      isClosed = true
      await listener?.end().catch(() => undefined)
      await pool.end()
    },
  }
}

function queryOf(runner: pg.Pool | pg.PoolClient): Query {
  // With a name, the server plans a statement once per connection.
  return async (sql, values = []) => (await runner.query({ name: nameOf(sql), text: sql, values: [...values] })).rows
}

const names = new Map<string, string>()

function nameOf(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = `assay_${names.size}`
    names.set(sql, name)
  }
  return name
}

async function migrate(query: Query): Promise<void> {
  await query('SELECT pg_advisory_xact_lock($1::bigint)', [MIGRATION_LOCK])
  await query('CREATE TABLE IF NOT EXISTS migrations (id TEXT PRIMARY KEY)')
  const done = new Set((await query('SELECT id FROM migrations')).map(({ id }) => id))
  for (const migration of migrations) if (!done.has(migration.id)) await apply(migration, query)
}

async function apply({ id, statements }: Migration, query: Query): Promise<void> {
  for (const statement of statements) await query(statement)
  await query('INSERT INTO migrations (id) VALUES ($1)', [id])
}
