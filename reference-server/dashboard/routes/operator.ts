import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type NodeFault, type NodeOrders, nodeFaults } from '../../network/ordered-node.ts'
import type { NodeState } from '../../network/registry.ts'
import { pastCounters } from '../../operations/past-counters.ts'
import { type Fields, textOf } from '../fields.ts'
import { type NetworkState, operatorPage } from '../pages/operator.ts'
import type { Dashboard } from '../parts.ts'
import { operatedBy } from './operated.ts'
import { watchers } from './watchers.ts'

const STATES: readonly NodeState[] = ['up', 'down', 'blackhole']

/** What the operator of the network sees and does. */
export function operatorRoutes(app: FastifyInstance, dashboard: Dashboard): void {
  const { root, show, registry, models, nodes } = dashboard

  const operated = operatedBy(dashboard)
  const state = (): NetworkState => networkState(dashboard)
  const watching = watchers(app, state, pastCounters(dashboard.activity, dashboard.clock))

  app.get(
    '/operator',
    operated((_request, reply, frame) => show(reply, frame, (own) => operatorPage(own, state()))),
  )

  app.get(
    '/operator/events',
    operated((_request, reply) => watching.add(reply)),
  )

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

  /** A script asks for JSON and stays on its page; a form is sent back to the page. */
  function done(request: FastifyRequest, reply: FastifyReply): unknown {
    return request.headers.accept === 'application/json' ? reply.send(state()) : reply.redirect(`${root}/operator`, 303)
  }
}

function networkState({ registry, models, nodes, activity, clock }: Dashboard): NetworkState {
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

function stateIn(fields: Fields): NodeState | undefined {
  return STATES.find((state) => state === fields['state'])
}

/** Changes only what the form names. */
function ordersAfter({ fault, script }: NodeOrders, fields: Fields): NodeOrders {
  const newFault = 'fault' in fields ? nodeFaults.find((one): one is NodeFault => one === fields['fault']) : fault
  const newScript = 'script' in fields ? textOf(fields, 'script') : (script ?? '')
  return { ...(newFault !== undefined && { fault: newFault }), ...(newScript !== '' && { script: newScript }) }
}
