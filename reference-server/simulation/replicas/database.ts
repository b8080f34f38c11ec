import { deadlines } from '../../store/deadlines.ts'
import type { Row } from '../../store/rows.ts'
import type { Scene } from '../scene.ts'
import { createLocks } from './locks.ts'
import { moneyStatements } from './money-statements.ts'
import { replicaStatements } from './replica-statements.ts'
import type { Given, Statement } from './statement.ts'
import { emptyTables, type Tables } from './tables.ts'

/** What became of a statement. `isTimeout`: the database ended it, so it took no effect. */
export type Answer = { readonly rows: readonly Row[] } | { readonly error: Error; readonly isTimeout: boolean }

/** One connection, as the database sees it. */
export interface Session {
  /** Changes of its open transaction, to be made when it is committed. Undefined without one. */
  changes: (() => void)[] | undefined
  /** The other side is gone, or the database was. */
  isEnded: boolean
  /** Told when the database ends it. */
  onLost?: () => void
}

/** A PostgreSQL whose every step takes its time: statements wait for locks, transactions show when they are committed. */
export interface Database {
  readonly tables: Tables
  /** Paused, it answers nothing, and goes on with whatever has come meanwhile. */
  state: 'up' | 'paused' | 'down'
  /** How far its clock is ahead. */
  aheadMs: number
  readonly listeners: Set<() => void>
  /** Carries out a statement, or `BEGIN` or `COMMIT`, and answers now or later; never for a session that has ended. */
  run(session: Session, sql: string, values: readonly unknown[], onAnswer: (answer: Answer) => void): void
  /** Ends a session: what it has not committed has never been. */
  end(session: Session): void
  /** It stops at once, as by a crash. */
  stop(): void
  /** It goes on, or starts again. */
  start(): void
}

interface Waiting {
  readonly session: Session
  readonly attempt: () => boolean
}

const statements: ReadonlyMap<string, Statement> = new Map([...moneyStatements, ...replicaStatements])
const ended = { rows: [] }

/** Statements that wait for the locks of others, and those that have them. */
function createQueue(nowMs: () => number) {
  const locks = createLocks()
  let waiting: Waiting[] = []

  /** What waited for the locks of others may go on now. */
  function goOn(): void {
    const some = waiting
    waiting = []
    waiting.push(...some.filter(({ session, attempt }) => !session.isEnded && !attempt()))
  }

  return {
    endTransaction(session: Session): void {
      session.changes = undefined
      locks.free(session)
      goOn()
    },
    /** False while others have locked what it needs. */
    attempt(session: Session, statement: Statement, given: Given, onAnswer: (answer: Answer) => void): boolean {
      if (!locks.take(session, statement.locks?.(given) ?? [])) return false
      try {
        const { rows, change } = statement.run({ ...given, nowMs: nowMs() })
        if (session.changes === undefined) change?.()
        else if (change !== undefined) session.changes.push(change)
        onAnswer({ rows })
      } catch (error) {
        onAnswer({ error: error instanceof Error ? error : new Error(String(error)), isTimeout: false })
      }
      if (session.changes === undefined) locks.free(session)
      return true
    },
    wait(one: Waiting): void {
      waiting.push(one)
    },
    /** Whether it was still waiting. */
    giveUp(one: Waiting): boolean {
      const isWaiting = waiting.includes(one)
      waiting = waiting.filter((other) => other !== one)
      return isWaiting
    },
  }
}

export function createDatabase({ timeline }: Pick<Scene, 'timeline'>): Database {
  const nowMs = (): number => timeline.nowMs() + database.aheadMs
  const { endTransaction, attempt, wait, giveUp } = createQueue(nowMs)
  const sessions = new Set<Session>()
  let delayed: (() => void)[] = []

  function commit(session: Session): void {
    for (const change of session.changes ?? []) change()
    endTransaction(session)
  }

  const database: Database = {
    tables: emptyTables(),
    state: 'up',
    aheadMs: 0,
    listeners: new Set(),
    run(session, sql, values, onAnswer) {
      if (session.isEnded) return
      sessions.add(session)
      if (database.state === 'paused') {
        delayed.push(() => database.run(session, sql, values, onAnswer))
        return
      }
      if (sql === 'BEGIN') session.changes = []
      if (sql === 'COMMIT') commit(session)
      if (sql === 'BEGIN' || sql === 'COMMIT') {
        onAnswer(ended)
        return
      }
      const statement = statements.get(sql)
      if (statement === undefined) throw new Error(`the simulated database does not know: ${sql}`)
      const notify = (): void => {
        for (const listener of database.listeners) listener()
      }
      const given = { tables: database.tables, values, nowMs: nowMs(), notify }
      if (attempt(session, statement, given, onAnswer)) return
      const one: Waiting = { session, attempt: () => attempt(session, statement, given, onAnswer) }
      wait(one)
      timeline.after(deadlines.statementMs, () => {
        if (giveUp(one) && !session.isEnded)
          onAnswer({ error: new Error('canceling statement due to statement timeout'), isTimeout: true })
      })
    },
    end(session) {
      session.isEnded = true
      sessions.delete(session)
      endTransaction(session)
    },
    stop() {
      database.state = 'down'
      delayed = []
      for (const session of sessions) {
        database.end(session)
        session.onLost?.()
      }
    },
    start() {
      database.state = 'up'
      const some = delayed
      delayed = []
      for (const work of some) work()
    },
  }
  return database
}
