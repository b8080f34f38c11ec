import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Entry } from '../../store/store.ts'
import type { Fields } from '../fields.ts'
import { rowsAPage } from '../pages/layout.ts'
import { ledgerCsvHead, ledgerCsvLine, ledgerPage } from '../pages/ledger.ts'
import type { Dashboard } from '../parts.ts'
import { ownedBy } from './owner.ts'

const CSV_BATCH = 2000

/** An account's books, as pages and as a file. */
export function ledgerRoutes(app: FastifyInstance, dashboard: Dashboard): void {
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
        rowsAPage,
      )
      return show(reply, frame, (own) => ledgerPage(own, entries, isFirst))
    }),
  )

  app.get(
    '/ledger.csv',
    owned(async ({ reply, account }) => {
      async function* lines() {
        yield ledgerCsvHead
        let entries: readonly Entry[] = []
        do {
          entries = await store.entries(account.id, entries.at(-1)?.number ?? 0, CSV_BATCH)
          yield entries.map(ledgerCsvLine).join('')
        } while (entries.length === CSV_BATCH)
      }
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="ledger.csv"')
        .send(Readable.from(lines()))
    }),
  )
}
