import pg from 'pg'
import { deadlines } from '../deadlines.ts'
import { type Migration, migrations } from '../migrations.ts'
import type { Row } from '../rows.ts'
import { unavailable } from './trouble.ts'

const CONNECTIONS_MAX = 16
const LISTEN_AGAIN_MS = 500
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

/** Whatever goes wrong on the way to the database rejects with `StoreUnavailable`, within the deadlines. */
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
  await migrate(url)
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    types,
    connectionTimeoutMillis: deadlines.connectMs,
    query_timeout: deadlines.answerMs,
    // Not as a parameter of the connection: poolers between us and the server refuse that.
    onConnect: (client) => client.query(`SET statement_timeout = ${deadlines.statementMs}`),
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', ignore)
  let listener: pg.Client | undefined
  let isClosed = false

  async function connected<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error, false)
    })
    // A connection that breaks rejects its statement; without a listener it would also end the process.
    client.on('error', ignore)
    try {
      const result = await work(queryOn(client))
      client.off('error', ignore)
      client.release()
      return result
    } catch (error) {
      // The connection itself may have failed, so it is not used again.
      client.release(true)
      throw error
    }
  }

  async function listen(channel: string, onNotice: () => void): Promise<void> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: deadlines.connectMs })
    client.on('notification', onNotice)
    client.once('end', () => {
      if (!isClosed) setTimeout(() => void listen(channel, onNotice).catch(ignore), LISTEN_AGAIN_MS).unref()
    })
    client.on('error', () => void client.end().catch(ignore))
    listener = client
    await client.connect()
    await client.query(`LISTEN ${channel}`)
    onNotice()
  }

  return {
    query: (sql, values) => connected((query) => query(sql, values)),
    transaction: (work) => connected((query) => inTransaction(query, work)),
    listen,
    async close() {
      isClosed = true
      await listener?.end().catch(ignore)
      await pool.end()
    },
  }
}

function ignore(): void {}

async function inTransaction<T>(query: Query, work: (query: Query) => Promise<T>): Promise<T> {
  await query('BEGIN')
  const result = await work(query)
  await query('COMMIT')
  return result
}

function queryOn(client: pg.PoolClient): Query {
  return async (sql, values = []) => {
    try {
      // With a name, the server plans a statement once per connection.
      return (await client.query({ name: nameOf(sql), text: sql, values: [...values] })).rows
    } catch (error) {
      throw unavailable(error, true)
    }
  }
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

/** On a connection of its own, without the deadlines: whoever comes second waits for the first. */
async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: deadlines.connectMs })
  client.on('error', ignore)
  const query: Query = async (sql, values = []) => (await client.query(sql, [...values])).rows
  await client.connect()
  try {
    await inTransaction(query, async () => {
      await query('SELECT pg_advisory_xact_lock($1::bigint)', [MIGRATION_LOCK])
      await query('CREATE TABLE IF NOT EXISTS migrations (id TEXT PRIMARY KEY)')
      const done = new Set((await query('SELECT id FROM migrations')).map(({ id }) => id))
      for (const migration of migrations)
        if (!done.has(migration.id) && migration.only !== 'sqlite') await apply(migration, query)
    })
  } finally {
    await client.end()
  }
}

async function apply({ id, statements }: Migration, query: Query): Promise<void> {
  for (const statement of statements) await query(statement)
  await query('INSERT INTO migrations (id) VALUES ($1)', [id])
}
