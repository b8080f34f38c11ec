/** Somebody who signs in to the dashboard, with an account of their own. */
export interface Person {
  /** Lower case. */
  readonly email: string
  readonly accountId: string
  readonly passwordHash: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** One sign-in. Only the browser's cookie has the token itself. */
export interface Session {
  readonly tokenHash: string
  /** Absent for the operator, who has no account. */
  readonly email?: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Who may see what in the dashboard. It is kept with the books, so that any replica serves any session. */
export interface People {
  /** False when the address is taken. */
  addPerson(person: Person): Promise<boolean>
  person(email: string): Promise<Person | undefined>
  addSession(session: Session): Promise<void>
  /** Undefined for a session that has ended or expired. */
  session(tokenHash: string, nowMs: number): Promise<Session | undefined>
  endSession(tokenHash: string): Promise<void>
}
