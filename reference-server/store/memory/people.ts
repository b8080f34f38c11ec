import type { People, Person, Session } from '../people.ts'

export function memoryPeople(): People {
  const people = new Map<string, Person>()
  const sessions = new Map<string, Session>()
  return {
    async addPerson(person) {
      if (people.has(person.email)) return false
      people.set(person.email, person)
      return true
    },
    person: async (email) => people.get(email),
    async addSession(session) {
      const nowMs = Date.now()
      for (const [token, { expiresAt }] of sessions) if (expiresAt <= nowMs) sessions.delete(token)
      sessions.set(session.tokenHash, session)
    },
    async session(tokenHash, nowMs) {
      const session = sessions.get(tokenHash)
      return session !== undefined && session.expiresAt > nowMs ? session : undefined
    },
    async endSession(tokenHash) {
      sessions.delete(tokenHash)
    },
  }
}
