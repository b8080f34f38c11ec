import pg from 'pg'
import type { Clock } from '../../clock.ts'
import { deadlines } from '../../store/deadlines.ts'
import type { Postgres, Query } from '../../store/postgres/postgres.ts'
import { unavailable } from '../../store/postgres/trouble.ts'
import type { Row } from '../../store/rows.ts'
import type { Draw } from '../draw.ts'
import type { Scene } from '../scene.ts'
import { type Life, within } from '../timeline.ts'
import type { Answer, Database, Session } from './database.ts'
import { Violation } from './tables.ts'

/** The network between one process and the database. */
export interface Link {
  readonly postgres: Postgres
  /** While it is cut, what is sent waits, and arrives late. */
  isCut: boolean
  /** How long a message takes at the most, in ms. */
  slowestMs: number
  heal(): void
  /** The process is gone, and its connections with it. */
  close(): void
}

/** Messages take their time, each its own, so that they overtake one another. Failures are told as `postgres.ts` tells them. */
export function openLink(scene: Scene, database: Database, life: Life, clock: Clock): Link {
  const { timeline, draw } = scene
  const sessions = new Set<Session>()
  let stuck: (() => void)[] = []

  function travel(onArrival: () => void): void {
    timeline.after(draw.delayMs(link.slowestMs), () => {
      if (link.isCut) stuck.push(onArrival)
      else onArrival()
    })
  }
  const arrive = (work: () => void): void => travel(() => within(timeline, life, work))

  async function connected<T>(work: (query: Query, session: Session) => Promise<T>): Promise<T> {
    const session = await connect(database, link, clock, draw)
    sessions.add(session)
    try {
      return await work(
        (sql, values = []) => exchange({ database, clock, travel, arrive }, session, sql, values),
        session,
      )
    } catch (error) {
      // The connection is not used again; the database learns of that later.
      travel(() => database.end(session))
      throw error
    } finally {
      sessions.delete(session)
    }
  }

  const link: Link = {
    isCut: false,
    slowestMs: 4,
    postgres: {
      query: (sql, values) => connected((query) => query(sql, values)),
      transaction: (work) =>
        connected(async (query) => {
          await query('BEGIN')
          const result = await work(query)
          await query('COMMIT')
          return result
        }),
      async listen(_channel, onNotice) {
        // A notice may get lost: those who listen look for themselves as well.
        database.listeners.add(() => {
          if (!draw.isOneOf(8)) arrive(onNotice)
        })
        onNotice()
      },
      close: async () => {},
    },
    heal() {
      link.isCut = false
      link.slowestMs = 4
      const some = stuck
      stuck = []
      for (const onArrival of some) onArrival()
    },
    close() {
      for (const session of sessions) travel(() => database.end(session))
    },
  }
  return link
}

/** A connection of the pool, which may have to be made first. */
async function connect(database: Database, { isCut, slowestMs }: Link, clock: Clock, draw: Draw): Promise<Session> {
  const session: Session = { changes: undefined, isEnded: false }
  if (database.state === 'up' && !isCut) return session
  await clock.sleep(draw.delayMs(database.state === 'down' ? slowestMs : deadlines.connectMs))
  const isOld = database.state !== 'down' && draw.isOneOf(2)
  if (!isOld) throw unavailable(new Error('timeout exceeded when trying to connect'), false)
  return session
}

interface Way {
  readonly database: Database
  readonly clock: Clock
  /** To the database. */
  travel(onArrival: () => void): void
  /** To the process. */
  arrive(work: () => void): void
}

/** Sends a statement and waits for its answer, as long as the gateway does. */
function exchange(
  { database, clock, travel, arrive }: Way,
  session: Session,
  sql: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(deadlines.answerMs, () => reject(unavailable(new Error('Query read timeout'), true)))
    let isLost = false
    const answered = (answer: Answer): void => {
      if (isLost) return
      cancel()
      if ('rows' in answer) resolve(answer.rows)
      else reject(unavailable(reported(answer), true))
    }
    const broken = (): void => {
      cancel()
      reject(unavailable(new Error('Connection terminated unexpectedly'), true))
    }
    session.onLost = () => {
      isLost = true
      arrive(broken)
    }
    travel(() => {
      if (database.state === 'down' || session.isEnded) arrive(broken)
      else database.run(session, sql, values, (answer) => arrive(() => answered(answer)))
    })
  })
}

/** An error as PostgreSQL reports it: a broken rule is a bug, a time-out is trouble that took no effect. */
function reported({ error, isTimeout }: Extract<Answer, { readonly error: Error }>): pg.DatabaseError {
  const told = new pg.DatabaseError(error.message, 0, 'error')
  told.severity = 'ERROR'
  told.code = isTimeout ? '57014' : error instanceof Violation ? '23514' : 'XX000'
  return told
}
