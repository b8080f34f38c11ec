import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { migrations } from '../migrations.ts'
import type { Row } from '../rows.ts'
import { loadSqlite } from './sqlite.ts'
import { type Statement, type StatementName, sqlOf } from './sqlite-sql.ts'

/** Statements that take effect together or not at all. */
export type Group = readonly Statement[]

/** What became of a group: the rows of its last statement, or why none of it took effect. A bug fails again, trouble passes. */
export type Outcome = { readonly rows: readonly Row[] } | { readonly error: string; readonly isBug: boolean }

/** A SQLite database that commits many groups at once: one fsync for all of them. */
export interface SqliteEngine {
  /** Resolved outcomes are durable. One group that fails does not harm the others. */
  commit(groups: readonly Group[]): readonly Outcome[]
  close(): void
}

/** `:memory:` is a database that ends with the process. Throws when another process has the file open. */
export function sqliteEngine(file: string): SqliteEngine {
  const { DatabaseSync: Database } = loadSqlite()
  const database = new Database(file, { readBigInts: true })
  database.exec('PRAGMA busy_timeout = 0')
  // One process owns the file: balances and keys are kept in its memory.
  database.exec('PRAGMA locking_mode = EXCLUSIVE')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  // Moving the log into the database costs another fsync, so it happens rarely.
  database.exec('PRAGMA wal_autocheckpoint = 10000')
  database.exec('PRAGMA foreign_keys = ON')
  migrate(database)
  const prepared = new Map<StatementName, StatementSync>()
  const begin = database.prepare('BEGIN IMMEDIATE')
  const end = database.prepare('COMMIT')

  const run = ({ name, values }: Statement): readonly Row[] => {
    let statement = prepared.get(name)
    if (statement === undefined) {
      statement = database.prepare(sqlOf[name])
      prepared.set(name, statement)
    }
    return statement.all(...values)
  }
  const runAll = (group: Group): Outcome => {
    let rows: readonly Row[] = []
    for (const statement of group) rows = run(statement)
    return { rows }
  }
  const runApart = (group: Group): Outcome => {
    database.exec('SAVEPOINT one')
    try {
      const outcome = runAll(group)
      database.exec('RELEASE one')
      return outcome
    } catch (error) {
      // Where there is no room left, SQLite has ended the whole transaction.
      if (!database.isTransaction) throw error
      database.exec('ROLLBACK TO one; RELEASE one')
      return failureOf(error)
    }
  }
  const commitBy = (attempt: (group: Group) => Outcome, groups: readonly Group[]): readonly Outcome[] => {
    begin.run()
    try {
      const outcomes = groups.map(attempt)
      end.run()
      return outcomes
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }

  return {
    commit(groups) {
      try {
        return commitBy(runAll, groups)
      } catch {
        // One of them is bad, which is rare. Each then gets its own savepoint, which costs as much as a charge.
        try {
          return commitBy(runApart, groups)
        } catch (error) {
          return groups.map(() => failureOf(error))
        }
      }
    },
    close: () => database.close(),
  }
}

/** Result codes of SQLite that are not the statement's doing: busy, no memory, read-only, I/O, corrupt, full, cannot open. */
const troubles = new Set([5, 7, 8, 10, 11, 13, 14])

function failureOf(error: unknown): Outcome {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
  const isBug = code === undefined || !troubles.has(code)
  return { error: error instanceof Error ? error.message : String(error), isBug }
}

function migrate(database: DatabaseSync): void {
  database.exec('CREATE TABLE IF NOT EXISTS migrations (id TEXT PRIMARY KEY)')
  const done = new Set(
    database
      .prepare('SELECT id FROM migrations')
      .all()
      .map(({ id }) => id),
  )
  for (const { id, statements, only } of migrations) {
    if (done.has(id) || only === 'postgres') continue
    database.exec('BEGIN IMMEDIATE')
    for (const statement of statements) database.exec(statement)
    database.prepare('INSERT INTO migrations (id) VALUES (?)').run(id)
    database.exec('COMMIT')
  }
}
