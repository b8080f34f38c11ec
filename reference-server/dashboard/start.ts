import type { IncomingMessage, ServerResponse } from 'node:http'
import { createDashboard, dashboardPath } from './dashboard.ts'
import type { DashboardParts } from './parts.ts'

export interface DashboardOptions {
  readonly host?: string
  /** Its own port, 0 for any free one. Without it the dashboard is served on the port of the API. */
  readonly port?: number
  /** Random by default. */
  readonly operatorPassword?: string
}

export interface StartedDashboard {
  /** Its address when it has its own port. */
  readonly url?: string
  /** Takes a request to the shared port if it is for the dashboard. */
  readonly take?: (request: IncomingMessage, response: ServerResponse) => boolean
  close(): Promise<void>
}

export async function startDashboard(
  { host = '127.0.0.1', port }: DashboardOptions,
  parts: DashboardParts,
): Promise<StartedDashboard> {
  const app = await createDashboard(parts)
  const close = () => app.close()
  if (port !== undefined) return { url: await app.listen({ host, port }), close }
  return {
    take(request, response) {
      const { url = '' } = request
      if (url !== '/' && !url.startsWith(dashboardPath)) return false
      app.routing(request, response)
      return true
    },
    close,
  }
}
