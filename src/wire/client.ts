import { Agent, EnvHttpProxyAgent } from 'undici'
import { createNodeClient } from './clients/node-client.ts'
import { isLoopback, proxyIsConfigured } from './clients/proxy.ts'
import { sendByUndici } from './clients/undici-client.ts'
import type { Wire } from './wire.ts'

export interface WireOptions {
  /** Accept any certificate. */
  readonly insecure: boolean
}

/**
 * A server that closes idle connections may cut a request that is on its way to it, which says nothing about the
 * request (RFC 9112, 9.3.1). After this many that came to nothing, a connection is used once.
 */
const cutsMax = 3
/** Given up sooner than servers that do not announce when they close an idle connection: a request would cross that. */
const unannouncedIdleMs = 500
const cut = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)/

export function createWire({ insecure }: WireOptions): Wire {
  const options = {
    pipelining: 1,
    keepAliveTimeout: unannouncedIdleMs,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: !insecure, timeout: 10_000 },
  } as const
  const direct = new Agent(options)
  const proxied = proxyIsConfigured(process.env) ? new EnvHttpProxyAgent(options) : direct
  const directByNode = createNodeClient({ insecure, proxyEnv: undefined })
  const proxiedByNode = createNodeClient({ insecure, proxyEnv: process.env })
  let sendsInterim = false
  let cuts = 0
  return {
    async send(request, limits) {
      const isDirect = isLoopback(new URL(request.url))
      const byNode = isDirect ? directByNode : proxiedByNode
      if (sendsInterim) return byNode.send(request, limits)
      const dispatcher = isDirect ? direct : proxied
      const exchange = await sendByUndici(dispatcher, request, limits, cuts >= cutsMax)
      if (exchange.head === undefined && cut.test(exchange.problem ?? '')) cuts += 1
      // undici takes an interim 100 that nobody asked for as a broken answer; HTTP allows it (RFC 9110, 15.2).
      const isInterim = exchange.head === undefined && exchange.problem?.endsWith('bad response') === true
      if (isInterim) sendsInterim = true
      return isInterim ? byNode.send(request, limits) : exchange
    },
    async close() {
      directByNode.close()
      proxiedByNode.close()
      await Promise.all([direct.destroy(), proxied === direct ? undefined : proxied.destroy()])
    },
  }
}
