import { integer, type Row, text } from './rows.ts'

/** Somebody who signs in to the dashboard, with an account of their own. */
export interface Person {
  /** Lower case. */
  readonly email: string
  readonly accountId: string
  readonly passwordHash: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** One sign-in. The token itself is in the browser's cookie alone. */
export interface Session {
  readonly tokenHash: string
  /** Absent for the operator, who has no account. */
  readonly email?: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Who may see what in the dashboard. It lives beside the books, so that any replica serves any session. */
export interface People {
  /** False when the address is taken. */
  addPerson(person: Person): Promise<boolean>
  person(email: string): Promise<Person | undefined>
  addSession(session: Session): Promise<void>
  /** Undefined for one that has ended or expired. */
  session(tokenHash: string, nowMs: number): Promise<Session | undefined>
  endSession(tokenHash: string): Promise<void>
}

/** Statements that both databases understand, but for the marks of their values. */
export const peopleSql = {
  addPerson: `INSERT INTO people (email, account_id, password_hash, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING email`,
  person: 'SELECT * FROM people WHERE email = ?',
  addSession: 'INSERT INTO sessions (token_hash, email, expires_at) VALUES (?, ?, ?)',
  session: 'SELECT * FROM sessions WHERE token_hash = ? AND expires_at > ?',
  endSession: 'DELETE FROM sessions WHERE token_hash = ?',
  endOldSessions: 'DELETE FROM sessions WHERE expires_at <= ?',
} as const

type PeopleStatement = keyof typeof peopleSql

/** The people of a database that runs these statements. */
export function peopleOf(
  run: (name: PeopleStatement, ...values: readonly (string | number | null)[]) => Promise<readonly Row[]>,
): People {
  return {
    addPerson: async ({ email, accountId, passwordHash, createdAt }) =>
      (await run('addPerson', email, accountId, passwordHash, createdAt)).length > 0,
    async person(email) {
      const [row] = await run('person', email)
      return row === undefined
        ? undefined
        : {
            email: text(row, 'email'),
            accountId: text(row, 'account_id'),
            passwordHash: text(row, 'password_hash'),
            createdAt: Number(integer(row, 'created_at')),
          }
    },
    async addSession({ tokenHash, email, expiresAt }) {
      await run('endOldSessions', Date.now())
      await run('addSession', tokenHash, email ?? null, expiresAt)
    },
    async session(tokenHash, nowMs) {
      const [row] = await run('session', tokenHash, nowMs)
      if (row === undefined) return undefined
      const email = row['email'] === null ? undefined : text(row, 'email')
      const expiresAt = Number(integer(row, 'expires_at'))
      return { tokenHash, expiresAt, ...(email !== undefined && { email }) }
    },
    async endSession(tokenHash) {
      await run('endSession', tokenHash)
    },
  }
}
