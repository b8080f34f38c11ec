import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'

const COOKIE = 'assay_session'
const LIFE_MS = 7 * 24 * 60 * 60 * 1000

/** Who sent a request to the dashboard. */
export type Visitor =
  | { readonly role: 'owner'; readonly email: string; readonly accountId: string }
  | { readonly role: 'operator' }

export interface Sessions {
  /** Begins a session under a fresh token, and ends the one that the browser had before. */
  begin(request: FastifyRequest, reply: FastifyReply, visitor: Visitor): Promise<void>
  visitor(request: FastifyRequest): Promise<Visitor | undefined>
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** Sessions live in the store; the browser has a random token, the store its hash. */
export function createSessions(store: Store, clock: Pick<Clock, 'unixMs'>, path: string): Sessions {
  const tokenOf = (request: FastifyRequest): string | undefined => request.cookies[COOKIE]

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = tokenOf(request)
    if (token !== undefined) await store.endSession(hashOf(token))
    reply.clearCookie(COOKIE, { path })
  }

  return {
    async begin(request, reply, visitor) {
      await end(request, reply)
      const token = randomBytes(32).toString('base64url')
      const expiresAt = clock.unixMs() + LIFE_MS
      const email = visitor.role === 'owner' ? { email: visitor.email } : {}
      await store.addSession({ tokenHash: hashOf(token), expiresAt, ...email })
      reply.setCookie(COOKIE, token, {
        path,
        httpOnly: true,
        sameSite: 'lax',
        secure: 'auto',
        maxAge: LIFE_MS / 1000,
      })
    },
    async visitor(request) {
      const token = tokenOf(request)
      if (token === undefined) return undefined
      const session = await store.session(hashOf(token), clock.unixMs())
      if (session === undefined) return undefined
      if (session.email === undefined) return { role: 'operator' }
      const person = await store.person(session.email)
      return person && { role: 'owner', email: person.email, accountId: person.accountId }
    },
    end,
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
