import type { FastifyInstance } from 'fastify'
import { type KeyNames, usageCsv, usagePage } from '../pages/usage.ts'
import type { Dashboard } from '../parts.ts'
import { ownedBy } from './owner.ts'

/** What the keys have used, as a page and as a file. */
export function usageRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, clock, show } = dashboard
  const owned = ownedBy(dashboard)

  async function namesOf(accountId: string): Promise<KeyNames> {
    return new Map((await store.keysOf(accountId)).map(({ id, name }) => [id, name]))
  }

  app.get(
    '/usage',
    owned(async ({ reply, frame, account }) => {
      const [usage, names] = await Promise.all([store.usageByDay(account.id), namesOf(account.id)])
      return show(reply, frame, (own) => usagePage(own, usage, names, clock.unixMs()))
    }),
  )

  app.get(
    '/usage.csv',
    owned(async ({ reply, account }) => {
      const [usage, names] = await Promise.all([store.usageByDay(account.id), namesOf(account.id)])
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="usage.csv"')
        .send(usageCsv(usage, names))
    }),
  )
}
