import type { FastifyInstance } from 'fastify'
import type { KeyRecord } from '../../store/store.ts'
import { deleteKeyPage } from '../pages/keys.ts'
import type { Dashboard } from '../parts.ts'
import { type Asked, ownedBy } from './owner.ts'

/** What is done with one key. */
export function keyRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, seams, root, show } = dashboard
  const owned = ownedBy(dashboard)

  /** A key of this account. Another account's key looks like one that does not exist. */
  async function keyIn({ request, account }: Asked): Promise<KeyRecord | undefined> {
    const { id } = request.params as { readonly id: string }
    return (await store.keysOf(account.id)).find((key) => key.id === id)
  }

  app.get(
    '/keys/:id/delete',
    owned(async (asked) => {
      const key = await keyIn(asked)
      if (key === undefined) return asked.reply.callNotFound()
      return show(asked.reply, asked.frame, (frame) => deleteKeyPage(frame, key))
    }),
  )

  app.post(
    '/keys/:id/delete',
    owned(async (asked) => {
      const key = await keyIn(asked)
      if (key === undefined) return asked.reply.callNotFound()
      await seams.deleteKey(key.id)
      return asked.reply.redirect(`${root}/keys?done=deleted`, 303)
    }),
  )
}
