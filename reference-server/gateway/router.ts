import { readTarget } from '../request-target.ts'
import { chatCompletions, type Waits } from './chat-completions.ts'
import {
  ClientLeft,
  type GatewayError,
  gatewayErrorOf,
  invalidRequest,
  methodNotAllowed,
  routeNotFound,
} from './gateway-error.ts'
import type { Model } from './models.ts'
import type { Call, Seams } from './seams.ts'

const PREFIX = '/api/v1'

interface Routed extends Waits {
  readonly models: readonly Model[]
  readonly onBug: (error: unknown) => void
}

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
    await answerError(seams, gatewayErrorOf(error, parts.onBug), call)
  }
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
