import type { FastifyInstance } from 'fastify'
import { type Fields, textOf } from '../fields.ts'
import { keyRow } from '../key-row.ts'
import { rowsAPage } from '../pages/layout.ts'
import { operatorAccountPage, operatorAccountsPage } from '../pages/operator-accounts.ts'
import type { Dashboard } from '../parts.ts'
import { operatedBy } from './operated.ts'

/** Accounts with their balances and keys, as the operator sees them: never the value of a key. */
export function operatorAccountsRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, rate, show } = dashboard
  const operated = operatedBy(dashboard)

  app.get(
    '/operator/accounts',
    operated(async (request, reply, frame) => {
      const query = request.query as Fields
      const [named, from] = [textOf(query, 'name'), pageIn(textOf(query, 'from'))]
      const found = await store.accounts(named, from, rowsAPage + 1)
      const shown = found.slice(0, rowsAPage)
      const rows = await Promise.all(
        shown.map(async (account) => ({ account, keys: (await store.keysOf(account.id)).length })),
      )
      const hasOlder = found.length > rowsAPage
      return show(reply, frame, (own) => operatorAccountsPage(own, { rows, rate, named, from, hasOlder }))
    }),
  )

  app.get(
    '/operator/accounts/:id',
    operated(async (request, reply, frame) => {
      const { id } = request.params as { readonly id: string }
      const account = await store.account(id)
      if (account === undefined) return reply.callNotFound()
      const [keys, usage] = await Promise.all([store.keysOf(id), store.usageByDay(id)])
      const rows = keys.toReversed().map((key) => keyRow(key, usage))
      return show(reply, frame, (own) => operatorAccountPage(own, { account, rate, rows }))
    }),
  )
}

function pageIn(from: string): number {
  return /^\d{1,9}$/.test(from) ? Number(from) : 0
}
