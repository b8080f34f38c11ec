import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { html } from '../../src/markup/html.ts'
import { readTarget } from '../request-target.ts'
import { StoreUnavailable } from '../store/store.ts'
import { type Assets, loadAssets } from './assets.ts'
import { renderPage } from './pages/layout.ts'
import type { Dashboard, DashboardParts } from './parts.ts'
import { keyRoutes } from './routes/key.ts'
import { keysRoutes } from './routes/keys.ts'
import { ledgerRoutes } from './routes/ledger.ts'
import { modelsRoute } from './routes/models.ts'
import { operatorRoutes } from './routes/operator.ts'
import { operatorAccountsRoutes } from './routes/operator-accounts.ts'
import { operatorHealthRoutes } from './routes/operator-health.ts'
import { operatorSignInRoutes } from './routes/operator-sign-in.ts'
import { overviewRoutes } from './routes/overview.ts'
import { playgroundRoutes } from './routes/playground.ts'
import { requestsRoutes } from './routes/requests.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { signUpRoutes } from './routes/sign-up.ts'
import { usageRoutes } from './routes/usage.ts'
import { createSessions } from './sessions.ts'
import { signInLimit } from './sign-in-limit.ts'

export const dashboardPath = '/dashboard'

const FOR_EVER = 'public, max-age=31536000, immutable'
const BODY_BYTES_MAX = 64 * 1024

const pages: readonly ((app: FastifyInstance, dashboard: Dashboard) => void)[] = [
  signUpRoutes,
  signInRoutes,
  operatorSignInRoutes,
  overviewRoutes,
  requestsRoutes,
  keysRoutes,
  keyRoutes,
  usageRoutes,
  ledgerRoutes,
  modelsRoute,
  playgroundRoutes,
  operatorRoutes,
  operatorAccountsRoutes,
  operatorHealthRoutes,
]

/** The dashboard as a fastify application, ready to be routed to. It serves everything below `dashboardPath`. */
export async function createDashboard(parts: DashboardParts): Promise<FastifyInstance> {
  const root = dashboardPath
  const assets = loadAssets(`${root}/assets`)
  // A proxy on this machine or in its network may say that its client uses TLS.
  const app = fastify({ trustProxy: ['loopback', 'uniquelocal'], bodyLimit: BODY_BYTES_MAX })
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: policy },
    frameguard: { action: 'deny' },
  })
  await app.register(cookie)
  await app.register(formbody)
  await app.register(csrf, {
    cookieOpts: { path: root, httpOnly: true, sameSite: 'lax', secure: 'auto' },
    getToken: (request) => String((request.body as Record<string, unknown> | undefined)?.['_csrf'] ?? ''),
  })

  const sessions = createSessions(parts.store, parts.clock, root)
  const dashboard: Dashboard = {
    ...parts,
    root,
    sessions,
    limit: signInLimit(parts.clock),
    async frameOf(request, reply) {
      const visitor = await sessions.visitor(request)
      const path = readTarget(request.url).path.slice(root.length).replace(/\/$/, '')
      return { root, assets, visitor, csrf: reply.generateCsrf(), path }
    },
    show: (reply, frame, page) =>
      reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-store')
        .send(renderPage(frame, page(frame))),
  }

  app.addHook('preHandler', (request, reply, next) => {
    if (request.method === 'POST') app.csrfProtection.call(app, request, reply, next)
    else next()
  })
  await app.register(
    async (inside) => {
      serveAssets(inside, assets)
      for (const addRoutes of pages) addRoutes(inside, dashboard)
    },
    { prefix: root },
  )
  app.get('/', (_request, reply) => reply.redirect(`${root}/`, 303))
  sayErrors(app, dashboard)
  await app.ready()
  return app
}

/** Only our own scripts and styles; nothing frames the pages. */
const policy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
}

function serveAssets(app: FastifyInstance, assets: Assets): void {
  app.get('/assets/:name', (request, reply) => {
    const asset = assets.find((request.params as { readonly name: string }).name)
    if (asset === undefined) return reply.callNotFound()
    const isGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (isGzip) reply.header('content-encoding', 'gzip')
    return reply
      .header('cache-control', FOR_EVER)
      .header('vary', 'accept-encoding')
      .type(asset.type)
      .send(isGzip ? asset.gzipped : asset.bytes)
  })
}

/** Shows errors as pages, without a stack and without repeating what was sent. */
function sayErrors(app: FastifyInstance, { frameOf, show, onBug }: Dashboard): void {
  const say = async (request: FastifyRequest, reply: FastifyReply, status: number, title: string, text: string) =>
    show(reply.status(status), await frameOf(request, reply), () => ({ title, body: html`<p>${text}</p>` }))
  app.setNotFoundHandler((request, reply) => say(request, reply, 404, 'Not found', 'This page does not exist.'))
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, request, reply) => {
    if (error instanceof StoreUnavailable)
      return reply
        .status(503)
        .type('text/plain')
        .send('The books cannot be read at the moment. Try again in a few seconds.')
    const status = error.statusCode ?? 500
    if (status === 403)
      return say(request, reply, 403, 'The form is too old', 'Reload the page and send the form again.')
    if (status < 500) return say(request, reply, status, 'Not understood', 'These pages do not send such a request.')
    onBug(error)
    return say(request, reply, 500, 'Something failed', 'The gateway failed. Its log says more.')
  })
}
