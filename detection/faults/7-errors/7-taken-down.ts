import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import type { OperatorNode } from '../../../reference-server/network/node.ts'
import { silentNode } from '../../../reference-server/network/silent-node.ts'
import { asJson, type Json } from '../../wraps/json.ts'
import { changingList } from '../../wraps/list.ts'
import { charging, free } from '../../wraps/money.ts'
import { noticingOutage } from '../../wraps/outage.ts'
import { isRelayedCall } from '../../wraps/relay.ts'
import { refusal } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/7-errors/7-taken-down.ts` must notice. */
export const takenDownFaults = {
  'list-null-when-empty': {
    about: 'A model list without models is null instead of empty.',
    breaks: ['models.none-left'],
    wrap: () =>
      changingList((list) => ({
        ...list,
        data: Array.isArray(list['data']) && list['data'].length > 0 ? list['data'] : null,
      })),
  },
  'listed-twice-when-back': {
    about: 'A model that was gone for a while is listed twice.',
    breaks: ['model.down-and-up'],
    wrap: () => listingReturned((model) => [model, model]),
  },
  'free-when-back': {
    about: 'A model that was gone for a while is listed with "0" for its prices.',
    breaks: ['model.down-and-up'],
    wrap: () =>
      listingReturned((model) => [{ ...model, pricing: { prompt: '0', completion: '0', unit: 'per_million_tokens' } }]),
  },
  'list-fails-in-an-outage': {
    about: 'While a model that was up before is down, the model list is answered with 503.',
    breaks: ['model.down-and-up'],
    follows: ['models.none-left'],
    wrap: () => {
      let most = 0
      return {
        listModels: (real) => (models, call) => {
          const list = asJson(real(models, call))
          const count = Array.isArray(list['data']) ? list['data'].length : 0
          most = Math.max(most, count)
          if (count < most) throw refusal(503)
          return list
        },
      }
    },
  },
  'down-model-served-from-memory': {
    about: 'A model whose node is taken down is still served, by its last node.',
    breaks: ['model.down-and-up'],
    wrap: () => {
      const last = new Map<string, OperatorNode>()
      return {
        chooseNode: (real) => (model, call) => {
          const node = real(model, call) ?? last.get(model.id)
          if (node !== undefined) last.set(model.id, node)
          return node
        },
      }
    },
  },
  'down-model-hangs': {
    about: 'A request for a model whose node is taken down waits for one, although the list has dropped the model.',
    breaks: ['model.down-and-up'],
    wrap: () => {
      const served = new Set<string>()
      const queue = silentNode({ id: 'queue', serves: served })
      return {
        chooseNode: (real) => (model, call) => {
          const node = real(model, call)
          if (node !== undefined && !isRelayedCall(call)) served.add(model.id)
          return node ?? (served.has(model.id) ? queue : undefined)
        },
      }
    },
  },
  'down-model-still-listed': {
    about: 'A model whose node is taken down is still listed.',
    breaks: ['model.down-and-up'],
    wrap: () => {
      let first: unknown
      return {
        listModels: (real) => (models, call) => {
          first ??= real(models, call)
          return first
        },
      }
    },
  },
  'down-model-stays-down': {
    about: 'A model that once had no node is refused even when its node is back.',
    breaks: ['model.down-and-up'],
    wrap: () => {
      const down = new Set<string>()
      return {
        chooseNode: (real) => (model, call) => {
          const node = real(model, call)
          if (node === undefined) down.add(model.id)
          return down.has(model.id) ? undefined : node
        },
      }
    },
  },
  'price-forgotten-in-an-outage': {
    about: 'A model that was requested while it had no node is free when it is back.',
    breaks: ['model.costs-as-before'],
    wrap: () => {
      const forgotten = new Set<string>()
      return {
        chooseNode: noticingOutage((model) => forgotten.add(model)),
        ...charging((cost, _, { model }) => (forgotten.has(model?.id ?? '') ? free : cost)),
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Lists the models that were gone for a while differently. */
function listingReturned(change: (model: Json) => readonly unknown[]): Wrap {
  const seen = new Set<unknown>()
  const gone = new Set<unknown>()
  return changingList((list) => {
    const data = Array.isArray(list['data']) ? list['data'].map(asJson) : []
    const ids = new Set(data.map(({ id }) => id))
    for (const id of seen) if (!ids.has(id)) gone.add(id)
    for (const id of ids) seen.add(id)
    return { ...list, data: data.flatMap((model) => (gone.has(model['id']) ? change(model) : [model])) }
  })
}
