import type { FastifyInstance } from 'fastify'
import { operatorHealthPage } from '../pages/operator-health.ts'
import type { Dashboard } from '../parts.ts'
import { operatedBy } from './operated.ts'

/** How well requests are served, and whether what the gateway rests on answers. */
export function operatorHealthRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { store, storeName, limits, sharesLimits, recent, clock, show } = dashboard
  const operated = operatedBy(dashboard)

  /** How long the books take to answer; undefined where they do not. */
  async function booksTookMs(): Promise<number | undefined> {
    const startMs = clock.nowMs()
    return store.entries('', 0, 1).then(
      () => clock.nowMs() - startMs,
      () => undefined,
    )
  }

  app.get(
    '/operator/health',
    operated(async (_request, reply, frame) => {
      const tookMs = await booksTookMs()
      const [storeTrouble, limitsTrouble] = [store.trouble(), limits.trouble()]
      const health = {
        storeName,
        sharesLimits,
        models: recent.byModel(),
        nodes: recent.byNode(),
        ...(tookMs !== undefined && { booksTookMs: tookMs }),
        ...(storeTrouble !== undefined && { storeTrouble }),
        ...(limitsTrouble !== undefined && { limitsTrouble }),
      }
      return show(reply, frame, () => operatorHealthPage(health))
    }),
  )
}
