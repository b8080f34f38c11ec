import type { Patience } from '../keys/patience.ts'
import { readTarget } from '../request-target.ts'
import { chatCompletions, type Waits } from './chat-completions.ts'
import {
  ClientLeft,
  type GatewayError,
  gatewayErrorOf,
  invalidRequest,
  methodNotAllowed,
  routeNotFound,
  toldToWait,
} from './gateway-error.ts'
import type { Model } from './models.ts'
import type { Call, Seams } from './seams.ts'

const PREFIX = '/api/v1'

interface Routed extends Waits {
  readonly models: readonly Model[]
  readonly patience: Patience
  readonly onBug: (error: unknown) => void
}

/** What a client is answered that asks again and again: with another key, more credit, or later it would be served. */
const refusing: ReadonlySet<number> = new Set([401, 402, 429, 503])

interface Route {
  readonly methods: readonly string[]
  readonly run: (seams: Seams, parts: Routed, call: Call) => Promise<void>
}

const routes: ReadonlyMap<string, Route> = new Map([
  [
    `${PREFIX}/chat/completions`,
    { methods: ['POST'], run: (seams, waits, call) => chatCompletions(seams, call, waits) },
  ],
  [`${PREFIX}/models`, { methods: ['GET', 'HEAD'], run: listModels }],
])

/** Answers one request, with an error where one is due. */
export async function answer(seams: Seams, parts: Routed, call: Call): Promise<void> {
  try {
    await routeOf(call).run(seams, parts, call)
  } catch (error) {
    if (call.left.aborted || error instanceof ClientLeft) return
    await answerError(seams, await inPatience(parts.patience, gatewayErrorOf(error, parts.onBug), call), call)
  }
}

/** The error as its client gets it. One who is refused too often gets it late and is told to wait. */
async function inPatience(patience: Patience, error: GatewayError, { caller, request, response, left }: Call) {
  if (!refusing.has(error.status) || response.headersSent) return error
  const { remoteAddress = '' } = request.socket
  const { delayMs, waitS } = patience.refused(caller === undefined ? `from ${remoteAddress}` : `key ${caller.key.id}`)
  if (delayMs === 0) return error
  if (!(await patience.keepBack(delayMs, left))) response.shouldKeepAlive = false
  return toldToWait(error, waitS)
}

function routeOf({ request }: Call): Route {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    throw invalidRequest('host_missing', 'A request needs a Host header.')
  const route = routes.get(readTarget(request.url).path)
  if (route === undefined) throw routeNotFound()
  if (!route.methods.includes(request.method ?? '')) throw methodNotAllowed(route.methods.join(', '))
  return route
}

async function answerError(seams: Seams, error: GatewayError, call: Call): Promise<void> {
  if (call.response.headersSent) {
    // It is too late for a status: a body that breaks off is the only sign left.
    call.response.destroy()
    return
  }
  const { body, ...head } = seams.errorAnswer(error, call)
  await seams.sendBody(head, seams.encode(body, call), call)
}

async function listModels(seams: Seams, { models }: Routed, call: Call): Promise<void> {
  call.caller = seams.authenticate(call)
  await seams.sendBody(seams.listHead(call), seams.encode(seams.listModels(models, call), call), call)
}
