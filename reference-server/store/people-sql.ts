import type { People } from './people.ts'
import { integer, type Row, text } from './rows.ts'

/** Statements that both databases understand, except for how they mark values. */
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
