import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type BookedRequest, outcomes, type RequestFilter, requestIdAt } from '../../store/request-log.ts'
import { type Fields, textOf } from '../fields.ts'
import { rowsAPage } from '../pages/layout.ts'
import { requestsCsvHead, requestsCsvLine, requestsPage } from '../pages/requests.ts'
import type { Dashboard } from '../parts.ts'
import { namesOf, ownedBy } from './owner.ts'

const DAY_MS = 86_400_000
const CSV_BATCH = 2000

/** An account's requests, one by one, as pages and as a file. */
export function requestsRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, models, log, show } = dashboard
  const owned = ownedBy(dashboard)

  app.get(
    '/requests',
    owned(async ({ request, reply, frame, account }) => {
      await log?.flush()
      const asked = readQuery(request.query as Fields)
      const [rows, names] = await Promise.all([
        store.requests(account.id, asked.filter, asked.below, rowsAPage + 1),
        namesOf(dashboard, account),
      ])
      const view = {
        ...asked,
        rows: rows.slice(0, rowsAPage),
        hasOlder: rows.length > rowsAPage,
        names,
        models: models.map(({ id }) => id),
        ...(log !== undefined && { keptDays: log.keptDays }),
      }
      return show(reply, frame, (own) => requestsPage(own, view))
    }),
  )

  app.get(
    '/requests.csv',
    owned(async ({ request, reply, account }) => {
      await log?.flush()
      const { filter, below } = readQuery(request.query as Fields)
      const names = await namesOf(dashboard, account)
      async function* lines() {
        yield requestsCsvHead
        let rows: readonly BookedRequest[] = []
        let next = below
        do {
          rows = await store.requests(account.id, filter, next, CSV_BATCH)
          next = rows.at(-1)?.id
          yield rows.map((row) => requestsCsvLine(row, names)).join('')
        } while (rows.length === CSV_BATCH)
      }
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="requests.csv"')
        .send(Readable.from(lines()))
    }),
  )
}

interface Asked {
  readonly filter: RequestFilter
  readonly until?: string
  readonly before?: string
  /** The id that both of these come to. */
  readonly below: string | undefined
}

/** What makes no sense is as if it were not there: an address may be old or mistyped. */
function readQuery(query: Fields): Asked {
  const [id, keyId, model, until, before] = ['id', 'key', 'model', 'until', 'before'].map((name) => {
    const text = textOf(query, name)
    return text === '' ? undefined : text
  })
  const outcome = outcomes.find((one) => one === query['outcome'])
  const midnight = /^\d{4}-\d\d-\d\d$/.test(until ?? '') ? Date.parse(until ?? '') + DAY_MS : Number.NaN
  const isDay = midnight > 0
  return {
    filter: {
      ...(id !== undefined && { id }),
      ...(keyId !== undefined && { keyId }),
      ...(model !== undefined && { model }),
      ...(outcome !== undefined && { outcome }),
    },
    ...(isDay && until !== undefined && { until }),
    ...(before !== undefined && { before }),
    below: before ?? (isDay ? requestIdAt(midnight) : undefined),
  }
}
