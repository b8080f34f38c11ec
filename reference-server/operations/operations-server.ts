import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Drain } from '../gateway/drain.ts'
import type { Limits } from '../keys/limits.ts'
import type { Store } from '../store/store.ts'
import { type Observed, renderMetrics } from './metrics.ts'

export interface OperationsOptions extends Observed {
  readonly store: Pick<Store, 'trouble'>
  readonly limits: Pick<Limits, 'trouble'>
  readonly drain: Pick<Drain, 'isDraining'>
}

/**
 * For whoever runs a gateway, on a port of its own and without a key: `/health` says that the process answers, `/ready`
 * whether it can serve requests (503 and the reason if not), and `/metrics` is for Prometheus.
 */
export function operationsServer(options: OperationsOptions): Server {
  return createServer(({ url = '/' }, response) => {
    switch (url.split('?')[0]) {
      case '/health':
        return sendJson(response, 200, { status: 'ok' })
      case '/ready': {
        const reason = obstacle(options)
        return reason === undefined
          ? sendJson(response, 200, { status: 'ready' })
          : sendJson(response, 503, { status: 'not ready', reason })
      }
      case '/metrics':
        return send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', renderMetrics(options))
      default:
        return sendJson(response, 404, { paths: ['/health', '/ready', '/metrics'] })
    }
  })
}

/** Why no request can be served now. */
function obstacle({ store, limits, registry, models, drain }: OperationsOptions): string | undefined {
  if (drain.isDraining) return 'it is shutting down'
  if (!models.some(({ id }) => registry.serves(id))) return 'no node serves a model'
  return store.trouble() ?? limits.trouble()
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json', JSON.stringify(body))
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response
    .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' })
    .end(text)
}
