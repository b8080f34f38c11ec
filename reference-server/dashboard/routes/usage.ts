import type { FastifyInstance } from 'fastify'
import type { Fields } from '../fields.ts'
import { ranges, type UsageView, usageCsv, usagePage } from '../pages/usage.ts'
import { timedByDay, timedByHour } from '../pages/usage-chart.ts'
import type { Dashboard } from '../parts.ts'
import { namesOf, ownedBy } from './owner.ts'

const DAY_MS = 86_400_000

/** What the keys have used, as a page and as a file. */
export function usageRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, clock, show } = dashboard
  const owned = ownedBy(dashboard)

  app.get(
    '/usage',
    owned(async ({ request, reply, frame, account }) => {
      const view = viewIn(request.query as Fields)
      const nowMs = clock.unixMs()
      const [usage, names] = await Promise.all([
        view.days === 1
          ? store.usageByHour(account.id, nowMs - DAY_MS).then((hours) => hours.map(timedByHour))
          : store.usageByDay(account.id).then((days) => days.map(timedByDay)),
        namesOf(dashboard, account),
      ])
      return show(reply, frame, (own) => usagePage(own, usage, names, nowMs, view))
    }),
  )

  app.get(
    '/usage.csv',
    owned(async ({ reply, account }) => {
      const [usage, names] = await Promise.all([store.usageByDay(account.id), namesOf(dashboard, account)])
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="usage.csv"')
        .send(usageCsv(usage, names))
    }),
  )
}

function viewIn({ days, metric, by }: Fields): UsageView {
  return {
    days: ranges.find((one) => String(one) === days) ?? 30,
    metric: metric === 'requests' || metric === 'tokens' ? metric : 'cost',
    by: by === 'key' ? 'key' : 'model',
  }
}
