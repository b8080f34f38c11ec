import type { FastifyInstance } from 'fastify'
import type { KeyRecord } from '../../store/store.ts'
import { type Fields, fieldErrorOf, readKeyTerms } from '../fields.ts'
import { newKeyCookie } from '../new-key.ts'
import { deleteKeyPage, type KeyView, keyPage } from '../pages/key.ts'
import type { Dashboard } from '../parts.ts'
import { type Asked, ownedBy } from './owner.ts'

/** What is done with one key. */
export function keyRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, seams, root, show } = dashboard
  const owned = ownedBy(dashboard)
  const newKey = newKeyCookie(`${root}/keys`)

  /** A key of this account. Another account's key looks like one that does not exist. */
  async function keyIn({ request, account }: Asked): Promise<KeyRecord | undefined> {
    const { id } = request.params as { readonly id: string }
    return (await store.keysOf(account.id)).find((key) => key.id === id)
  }

  const page = ({ reply, frame }: Asked, view: KeyView): unknown => show(reply, frame, (own) => keyPage(own, view))

  app.get(
    '/keys/:id',
    owned(async (asked) => {
      const key = await keyIn(asked)
      return key === undefined ? asked.reply.callNotFound() : page(asked, { key })
    }),
  )

  app.post(
    '/keys/:id',
    owned(async (asked) => {
      const key = await keyIn(asked)
      if (key === undefined) return asked.reply.callNotFound()
      const fields = asked.request.body as Fields
      try {
        await seams.changeKey(key.id, readKeyTerms(fields))
        return asked.reply.redirect(`${root}/keys?done=changed`, 303)
      } catch (error) {
        const wrong = { error: fieldErrorOf(error), typed: fields }
        return page({ ...asked, reply: asked.reply.status(400) }, { key, ...wrong })
      }
    }),
  )

  app.post(
    '/keys/:id/rotate',
    owned(async (asked) => {
      const key = await keyIn(asked)
      const made = key && (await seams.rotateKey(key.id))
      if (made === undefined) return asked.reply.callNotFound()
      newKey.leave(asked.reply, { name: made.record.name, key: made.key, rotates: key?.id })
      return asked.reply.redirect(`${root}/keys`, 303)
    }),
  )

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
