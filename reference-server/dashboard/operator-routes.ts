import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type NodeFault, type NodeOrders, nodeFaults } from '../network/ordered-node.ts'
import type { NodeState } from '../network/registry.ts'
import type { Dashboard } from './dashboard.ts'
import { type Fields, textOf } from './fields.ts'
import type { Frame } from './pages/layout.ts'
import { type NetworkState, operatorPage } from './pages/operator.ts'

const STATES: readonly NodeState[] = ['up', 'down', 'blackhole']
const TICK_MS = 1000

/** What the operator of the network sees and does. */
export function operatorRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { root, show, frameOf, registry, models, nodes, activity, clock } = dashboard
  const watchers = new Set<FastifyReply>()

  const operated =
    (run: (request: FastifyRequest, reply: FastifyReply, frame: Frame) => unknown) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const frame = await frameOf(request, reply)
      return frame.visitor?.role === 'operator'
        ? run(request, reply, frame)
        : reply.redirect(`${root}/operator/sign-in`, 303)
    }

  function state(): NetworkState {
    const states = new Map(models.flatMap(({ id }) => registry.nodesOf(id)).map((node) => [node.id, node.state]))
    return {
      at: clock.unixMs(),
      nodes: nodes.map(({ id, serves, orders }) => ({
        id,
        models: [...serves],
        state: states.get(id) ?? 'down',
        orders,
      })),
      models: models.map(({ id }) => ({ id, isServed: registry.serves(id) })),
      live: activity.live(),
      counters: activity.counters(),
    }
  }

  app.get(
    '/operator',
    operated((_request, reply, frame) => show(reply, frame, (own) => operatorPage(own, state()))),
  )

  app.get(
    '/operator/events',
    operated((_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
      })
      watchers.add(reply)
      reply.raw.on('close', () => watchers.delete(reply))
      tell(reply)
    }),
  )

  function tell(reply: FastifyReply): void {
    // A browser that does not read gets the next state, not all of them.
    if (reply.raw.writableNeedDrain) return
    reply.raw.write(`data: ${JSON.stringify(state())}\n\n`)
  }
  const ticking = setInterval(() => watchers.forEach(tell), TICK_MS)
  ticking.unref()
  app.addHook('preClose', async () => {
    clearInterval(ticking)
    for (const { raw } of watchers) raw.end()
  })

  app.post(
    '/operator/models/:id',
    operated((request, reply) => {
      const { id } = request.params as { readonly id: string }
      const wanted = stateIn(request.body as Fields)
      if (!models.some((model) => model.id === id) || wanted === undefined) return reply.callNotFound()
      for (const node of registry.nodesOf(id)) registry.setState(node.id, wanted)
      return done(request, reply)
    }),
  )

  app.post(
    '/operator/nodes/:id',
    operated((request, reply) => {
      const { id } = request.params as { readonly id: string }
      const fields = request.body as Fields
      const node = nodes.find((one) => one.id === id)
      if (node === undefined) return reply.callNotFound()
      const wanted = stateIn(fields)
      if (wanted !== undefined) registry.setState(id, wanted)
      node.orders = ordersAfter(node.orders, fields)
      return done(request, reply)
    }),
  )

  /** A script asks for JSON and stays where it is; a form comes back to the page. */
  function done(request: FastifyRequest, reply: FastifyReply): unknown {
    return request.headers.accept === 'application/json' ? reply.send(state()) : reply.redirect(`${root}/operator`, 303)
  }
}

function stateIn(fields: Fields): NodeState | undefined {
  return STATES.find((state) => state === fields['state'])
}

/** Only what the form names is changed. */
function ordersAfter({ fault, script }: NodeOrders, fields: Fields): NodeOrders {
  const newFault = 'fault' in fields ? nodeFaults.find((one): one is NodeFault => one === fields['fault']) : fault
  const newScript = 'script' in fields ? textOf(fields, 'script') : (script ?? '')
  return { ...(newFault !== undefined && { fault: newFault }), ...(newScript !== '' && { script: newScript }) }
}
