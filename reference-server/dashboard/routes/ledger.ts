import type { FastifyInstance } from 'fastify'
import type { Fields } from '../fields.ts'
import { entriesAPage, ledgerPage } from '../pages/ledger.ts'
import type { Dashboard } from '../parts.ts'
import { ownedBy } from './owner.ts'

export function ledgerRoute(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, show } = dashboard
  const owned = ownedBy(dashboard)

  app.get(
    '/ledger',
    owned(async ({ request, reply, frame, account }) => {
      const { before } = request.query as Fields
      const isFirst = typeof before !== 'string' || !/^\d{1,15}$/.test(before)
      const entries = await store.entriesBefore(
        account.id,
        isFirst ? Number.MAX_SAFE_INTEGER : Number(before),
        entriesAPage,
      )
      return show(reply, frame, (own) => ledgerPage(own, entries, isFirst))
    }),
  )
}
