import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RunningNode } from '../running-node.ts'
import { InputError } from '../script/input-error.ts'
import { readTiming } from '../script/read-timing.ts'
import { readScript } from '../script/script.ts'
import { readNodeBody } from '../send/body.ts'
import { NodeError, noSuchMethod, noSuchPath } from '../send/error.ts'
import { nodeListener, urlOf } from '../send/listener.ts'
import { readState } from './state.ts'

export const controlPrefix = '/control/v1'

interface Call {
  readonly id: string
  readonly query: URLSearchParams
  readonly body: Buffer
}

/** Undefined means an answer without a body. */
type Action = (node: RunningNode, call: Call) => unknown

type Actions = Readonly<Record<string, Action>>

/** Every path of the control API; `fixtures/nodes/openapi.yaml` says the same in its own way, and a test compares them. */
export const controlRoutes: Readonly<Record<string, Actions>> = {
  '/scripts': { GET: (node) => ({ scripts: node.scripts() }) },
  '/scripts/{id}': {
    PUT: (node, { id, body }) => node.script(id, readScript(parse(body))),
    DELETE: (node, { id }) => node.removeScript(id),
  },
  '/records': {
    GET: (node, { query }) => ({ records: node.records(query.get('script') ?? undefined) }),
    DELETE: (node) => node.clearRecords(),
  },
  '/state': {
    GET: (node) => ({ state: node.state() }),
    PUT: (node, { body }) => node.setState(readState(field(parse(body), 'state'))),
  },
  '/timing': { PUT: (node, { body }) => node.setTiming(readTiming(timingOf(parse(body)))) },
  '/health': { GET: () => ({ status: 'ok' }) },
}

/** Gives a node its control API on its own port. It needs no token: it is for everybody who can reach that port. */
export async function startControl(
  node: RunningNode,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningNode> {
  const listener = await nodeListener(host, port, (request, response) => void answer(node, request, response))
  return {
    ...node,
    controlUrl: urlOf(listener),
    async close() {
      listener.destroy()
      await node.close()
    },
  }
}

async function answer(node: RunningNode, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => undefined)
  try {
    const body = await readNodeBody(request)
    if (body === undefined) return
    const value = await act(node, request, body)
    if (value === undefined) response.writeHead(204).end()
    else send(response, 200, value)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    send(response, statusOf(error), { error: { message } })
  }
}

function act(node: RunningNode, request: IncomingMessage, body: Buffer): unknown {
  const [target = '', query = ''] = (request.url ?? '').split('?', 2)
  const path = target.startsWith(controlPrefix) ? target.slice(controlPrefix.length) : ''
  const [, id = ''] = /^\/scripts\/(.+)$/.exec(path) ?? []
  const actions = controlRoutes[id === '' ? path : '/scripts/{id}']
  if (actions === undefined) throw noSuchPath()
  const action = actions[request.method ?? '']
  if (action === undefined) throw noSuchMethod(Object.keys(actions).join(', '))
  return action(node, { id, query: new URLSearchParams(query), body })
}

function statusOf(error: unknown): number {
  if (error instanceof InputError) return 400
  return error instanceof NodeError ? error.status : 500
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new InputError('The body', { where: undefined, problem: 'must be JSON in UTF-8' })
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

/** The name of a profile, or a model. */
function timingOf(value: unknown): unknown {
  const timing = field(value, 'profile') ?? field(value, 'model')
  if (timing === undefined) throw new InputError('The body', { where: 'profile', problem: 'or model is required' })
  return timing
}
