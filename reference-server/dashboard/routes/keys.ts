import type { FastifyInstance } from 'fastify'
import { type Fields, fieldErrorOf, readKeyTerms } from '../fields.ts'
import { keyRow } from '../key-row.ts'
import { newKeyCookie } from '../new-key.ts'
import { type KeysView, keysPage } from '../pages/keys.ts'
import { rowsAPage } from '../pages/layout.ts'
import type { Dashboard } from '../parts.ts'
import { type Asked, ownedBy } from './owner.ts'

/** Listing and creating keys. */
export function keysRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, seams, root, show } = dashboard
  const owned = ownedBy(dashboard)
  const newKey = newKeyCookie(`${root}/keys`)

  async function keys(
    { reply, frame, account }: Asked,
    { from = 0, ...more }: Partial<Omit<KeysView, 'rows' | 'total'>>,
  ): Promise<unknown> {
    const [own, usage] = await Promise.all([store.keysOf(account.id), store.usageByDay(account.id)])
    const newestFirst = own.toReversed()
    const rows = newestFirst.slice(from, from + rowsAPage).map((key) => keyRow(key, usage))
    return show(reply, frame, (inside) => keysPage(inside, { rows, from, total: own.length, ...more }))
  }

  app.get(
    '/keys',
    owned((asked) => {
      const { from, done } = asked.request.query as Fields
      const isPage = typeof from === 'string' && /^\d{1,9}$/.test(from)
      const made = newKey.take(asked.request, asked.reply)
      const isDone = done === 'deleted' || done === 'changed'
      return keys(asked, { ...(isDone && { done }), ...(isPage && { from: Number(from) }), ...(made && { made }) })
    }),
  )

  app.post(
    '/keys',
    owned(async (asked) => {
      const fields = asked.request.body as Fields
      try {
        const terms = readKeyTerms(fields)
        const made = await seams.createKey(asked.account.id, terms)
        if (made !== undefined) newKey.leave(asked.reply, { name: terms.name, key: made.key })
        return asked.reply.redirect(`${root}/keys`, 303)
      } catch (error) {
        return keys({ ...asked, reply: asked.reply.status(400) }, { error: fieldErrorOf(error), typed: fields })
      }
    }),
  )
}
