import type { FastifyInstance } from 'fastify'
import { modelsPage } from '../pages/models.ts'
import type { Dashboard } from '../parts.ts'
import { ownedBy } from './owner.ts'

export function modelsRoute(app: FastifyInstance, dashboard: Dashboard): void {
  const { models, registry, show } = dashboard
  const owned = ownedBy(dashboard)

  app.get(
    '/models',
    owned(async ({ reply, frame }) => {
      const rows = models.map((model) => ({ ...model, isServed: registry.serves(model.id) }))
      return show(reply, frame, () => modelsPage(rows))
    }),
  )
}
