import type { FastifyReply, FastifyRequest } from 'fastify'

const COOKIE = 'assay_new_key'
/** Far longer than a redirect takes. */
const LIFE_S = 60

/** A key that was just created, with its value. */
export interface NewKey {
  readonly name: string
  readonly key: string
  /** The public id of the key that it is to replace. */
  readonly rotates?: string | undefined
}

/**
 * Carries a new key to the page after the redirect, in a cookie that no script reads and that ends there: the page shows
 * the key once, reloading it creates no second one, and nothing of it stays on the server.
 */
export function newKeyCookie(path: string) {
  return {
    leave(reply: FastifyReply, made: NewKey): void {
      const value = JSON.stringify(made)
      reply.setCookie(COOKIE, value, { path, httpOnly: true, sameSite: 'strict', secure: 'auto', maxAge: LIFE_S })
    },
    take(request: FastifyRequest, reply: FastifyReply): NewKey | undefined {
      const value = request.cookies[COOKIE]
      if (value === undefined) return undefined
      reply.clearCookie(COOKIE, { path })
      return newKeyIn(value)
    },
  }
}

function newKeyIn(text: string): NewKey | undefined {
  try {
    const { name, key, rotates }: Partial<NewKey> = JSON.parse(text)
    if (typeof name !== 'string' || typeof key !== 'string') return undefined
    return { name, key, ...(typeof rotates === 'string' && { rotates }) }
  } catch {
    return undefined
  }
}
