import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, KeyRecord } from '../../store/store.ts'
import type { Frame, KeyNames } from '../pages/layout.ts'
import type { Dashboard } from '../parts.ts'

/** A request of an account's owner. */
export interface Asked {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly frame: Frame
  readonly account: Account
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/**
 * Makes handlers that serve only an account's owner and send everybody else to sign in. The account comes from the
 * session, never from the request.
 */
export function ownedBy({ store, root, frameOf }: Dashboard): (run: (asked: Asked) => Promise<unknown>) => Handler {
  return (run) => async (request, reply) => {
    const frame = await frameOf(request, reply)
    const account = frame.visitor?.role === 'owner' ? await store.account(frame.visitor.accountId) : undefined
    return account === undefined ? reply.redirect(`${root}/sign-in`, 303) : run({ request, reply, frame, account })
  }
}

/** Whose the requests of an account's playground are. It is in no store: only passes stand for it. */
export function playgroundKey({ id: accountId }: Account): KeyRecord {
  return { id: `playground-${accountId}`, accountId, name: 'Playground', hash: '', createdAt: 0 }
}

/** The names of an account's keys. */
export async function namesOf({ store }: Dashboard, account: Account): Promise<KeyNames> {
  const playground = playgroundKey(account)
  return new Map([...(await store.keysOf(account.id)), playground].map(({ id, name }) => [id, name]))
}
