import { DatabaseSync } from 'node:sqlite'
import { migrations } from './migrations.ts'
import type { Row } from './rows.ts'

export type SqlValue = string | number | bigint | null

/** One statement; those that build on each other's effect are one group. */
export interface Statement {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** Statements that take effect together or not at all. */
export type Group = readonly Statement[]

/** What became of a group: the rows of its last statement, or why nothing of it took effect. */
export type Outcome = { readonly rows: readonly Row[] } | { readonly error: string }

/** A SQLite database that commits many groups at once: one fsync for all of them. */
export interface SqliteEngine {
  /** Resolved outcomes are durable. One group that fails does not harm the others. */
  commit(groups: readonly Group[]): readonly Outcome[]
  close(): void
}

/** `:memory:` is a database that ends with the process. Throws when another process has the file. */
export function sqliteEngine(file: string): SqliteEngine {
  const database = new DatabaseSync(file, { readBigInts: true })
  database.exec('PRAGMA busy_timeout = 0')
  // One process owns the file: balances and keys are kept in its memory.
  database.exec('PRAGMA locking_mode = EXCLUSIVE')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA foreign_keys = ON')
  migrate(database)
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()

  const run = ({ sql, values }: Statement): readonly Row[] => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = database.prepare(sql)
      prepared.set(sql, statement)
    }
    return statement.all(...values)
  }
  const attempt = (group: Group): Outcome => {
    database.exec('SAVEPOINT one')
    try {
      let rows: readonly Row[] = []
      for (const statement of group) rows = run(statement)
      database.exec('RELEASE one')
      return { rows }
    } catch (error) {
      database.exec('ROLLBACK TO one; RELEASE one')
      return { error: String(error) }
    }
  }

  return {
    commit(groups) {
      database.exec('BEGIN IMMEDIATE')
      try {
        const outcomes = groups.map(attempt)
        database.exec('COMMIT')
        return outcomes
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK')
        return groups.map(() => ({ error: String(error) }))
      }
    },
    close: () => database.close(),
  }
}

function migrate(database: DatabaseSync): void {
  database.exec('CREATE TABLE IF NOT EXISTS migrations (id TEXT PRIMARY KEY)')
  const done = new Set(
    database
      .prepare('SELECT id FROM migrations')
      .all()
      .map(({ id }) => id),
  )
  for (const { id, statements, onlyPostgres } of migrations) {
    if (done.has(id) || onlyPostgres) continue
    database.exec('BEGIN IMMEDIATE')
    for (const statement of statements) database.exec(statement)
    database.prepare('INSERT INTO migrations (id) VALUES (?)').run(id)
    database.exec('COMMIT')
  }
}
