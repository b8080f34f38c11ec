import { closingForAWhile } from '../../wraps/outage.ts'
import { isRelayed, isRelayedCall, tapping } from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/1-service/1-blamed-nodes.ts` must notice. */
export const blamedNodesFaults = {
  'left-clients-close-their-model': {
    about:
      'A client that leaves its stream counts, a moment later, as a failure of its node; two of them close the model for two seconds.',
    breaks: ['relay.leaving-harms-no-others', 'relay.leaving-blames-no-node'],
    follows: ['relay.exchange-after-a-left-stream'],
    wrap: () => {
      const { close, chooseNode } = closingForAWhile()
      let left = 0
      return {
        chooseNode: (real) => (model, call) =>
          isRelayed({ model: model.id }) ? chooseNode(real)(model, call) : real(model, call),
        serve: (real) => async (call) => {
          await real(call)
          if (!call.left.aborted || !isStream(call) || !isRelayedCall(call)) return
          left += 1
          if (left % 2 === 0) setTimeout(close, 150, 2000)
        },
      }
    },
  },
  'refusals-close-their-model': {
    about: 'Three times that a node refused a request with 400 close its model for two seconds.',
    breaks: ['relay.refusals-blame-no-node'],
    wrap: () => {
      const { close, chooseNode } = closingForAWhile()
      let refused = 0
      return {
        chooseNode: (real) => (model, call) =>
          isRelayed({ model: model.id }) ? chooseNode(real)(model, call) : real(model, call),
        ...tapping((reply) => {
          if (reply.status === 400) refused += 1
          if (reply.status === 400 && refused % 3 === 0) close(2000)
          return reply
        }),
      }
    },
  },
} as const satisfies Record<string, Fault>
