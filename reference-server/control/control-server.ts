import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { gatewayErrorOf, invalidRequest, routeNotFound, unauthorized } from '../gateway/gateway-error.ts'
import { bearerKey } from '../gateway/request/bearer.ts'
import { readBody } from '../gateway/request/body.ts'
import { hashKey } from '../keys/key.ts'
import { readTarget } from '../request-target.ts'
import { type ControlParts, type Params, routes } from './control-routes.ts'

const PREFIX = '/control/v1'

export interface ControlOptions extends ControlParts {
  readonly token: string
  readonly onBug: (error: unknown) => void
}

/** The control API (`fixtures/control/openapi.yaml`) as a server, not yet listening. Every call needs the token. */
export function controlServer(options: ControlOptions): Server {
  return createServer((request, response) => {
    answer(request, options).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => {
        if (response.destroyed) return
        const { message, param = null, status, headers } = gatewayErrorOf(error, options.onBug)
        send(response, status, { error: { message, param } }, headers)
      },
    )
  })
}

interface Answer {
  readonly status: number
  readonly body?: unknown
}

async function answer(request: IncomingMessage, options: ControlOptions): Promise<Answer> {
  const token = bearerKey(request)
  if (token === undefined || !isSame(token, options.token)) throw unauthorized()
  const { path, query } = readTarget(request.url)
  const parts = path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length + 1).split('/') : []
  for (const route of routes) {
    const params = matched(route.path, parts)
    if (route.method !== request.method || params === undefined) continue
    const body = request.method === 'POST' || request.method === 'PUT' ? await jsonOf(request) : {}
    const made = await route.run(options, { params, query: new URLSearchParams(query), body })
    return made === undefined ? { status: 204 } : { status: 200, body: made }
  }
  throw routeNotFound()
}

/** The values of the path's `{…}` parts; undefined when the path does not match. */
function matched(path: string, parts: readonly string[]): Params | undefined {
  const wanted = path.split('/').slice(1)
  if (wanted.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const given = parts[index] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = decoded(given)
    else if (part !== given) return undefined
  }
  return params
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw invalidRequest('invalid_path', `"${part}" in the path is not a valid encoding.`)
  }
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBody(request)
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw invalidRequest('invalid_json', 'The request body is not JSON.')
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (body === undefined) {
    response.writeHead(status).end()
    return
  }
  const text = JSON.stringify(body)
  response
    .writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}

/** Hashes all have one length, so the comparison reveals nothing about the token. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(hashKey(given)), Buffer.from(hashKey(wanted)))
}
