import { once } from 'node:events'
import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { NodeFailure } from '../../../reference-server/network/node-failure.ts'
import { asJson } from '../../wraps/json.ts'
import { changingListData } from '../../wraps/list.ts'
import { isRelayed, isRelayedCall } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

const breaks = ['relay.list-follows-the-nodes'] as const

/** Gateways that the checks of `suites/7-errors/7-listed-nodes.ts` must notice. */
export const listedNodesFaults = {
  'one-lost-node-unlists-its-model': {
    about:
      'For three seconds after a node refused a connection, the list does not name its model, whatever its other nodes do.',
    breaks: ['relay.one-node-is-enough'],
    follows: breaks,
    wrap: () => {
      let unlistedUntilMs = 0
      return {
        ...changingListData((models) =>
          performance.now() < unlistedUntilMs ? models.filter((model) => !isRelayedModel(model)) : models,
        ),
        generate: (real) =>
          async function* (node, job, signal, call) {
            try {
              return yield* real(node, job, signal, call)
            } catch (error) {
              const isGone = error instanceof NodeFailure && error.kind === 'unreachable'
              if (isGone && isRelayed(job)) unlistedUntilMs = performance.now() + 3000
              throw error
            }
          },
      }
    },
  },
  'lost-model-stays-listed': {
    about: 'The list goes on naming a model whose nodes have become unreachable.',
    breaks,
    wrap: () => relisting(() => true),
  },
  'model-in-a-black-hole-stays-listed': {
    about: 'The list drops a model whose nodes refuse connections, but not one whose nodes fell silent.',
    breaks,
    wrap: () => {
      let isSilent = false
      return {
        ...relisting(() => isSilent),
        generate: (real) =>
          async function* (node, job, signal, call) {
            try {
              return yield* real(node, job, signal, call)
            } catch (error) {
              if (isRelayed(job)) isSilent = error instanceof Error && 'kind' in error && error.kind === 'silent'
              throw error
            }
          },
      }
    },
  },
  'lost-model-is-listed-again': {
    about: 'The list drops a model whose nodes are gone, and names it again after 2 s, as if they were back.',
    breaks,
    wrap: () => relisting((missingMs) => missingMs > 2000),
  },
  'lost-model-is-never-listed-again': {
    about: 'A model that the list has dropped does not return to it when its nodes do.',
    breaks,
    wrap: () => {
      let wasMissing = false
      return changingListData((models) => {
        wasMissing ||= !models.some(isRelayedModel)
        return wasMissing ? models.filter((model) => !isRelayedModel(model)) : models
      })
    },
  },
  'unlisted-model-hangs': {
    about: 'Requests for a model that the list has just dropped get no answer.',
    breaks,
    wrap: () => {
      let droppedAtMs = Number.NEGATIVE_INFINITY
      return {
        ...changingListData((models) => {
          droppedAtMs = models.some(isRelayedModel) ? Number.NEGATIVE_INFINITY : performance.now()
          return models
        }),
        reserve: (real) => async (caller, tokensMost, call) => {
          if (performance.now() - droppedAtMs < 5000 && isRelayedCall(call)) await once(call.left, 'abort')
          return real(caller, tokensMost, call)
        },
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Lists the model of relayed nodes while it has none, if `when` says so of the time since it lost the last one. */
function relisting(when: (missingMs: number) => boolean): Wrap {
  let known: unknown
  let missingSinceMs: number | undefined
  return changingListData((models) => {
    const listed = models.find(isRelayedModel)
    known = listed ?? known
    missingSinceMs = listed === undefined ? (missingSinceMs ?? performance.now()) : undefined
    if (missingSinceMs === undefined || known === undefined) return models
    return when(performance.now() - missingSinceMs) ? [...models, known] : models
  })
}

function isRelayedModel(model: unknown): boolean {
  return asJson(model)['id'] === 'scripted'
}
