import { GatewayError, modelUnavailable } from '../../reference-server/gateway/gateway-error.ts'
import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { eachFragment, forOtherModels } from '../wraps/words.ts'
import type { Variant } from './variant.ts'

/** Legal gateways in bad weather: now and then a request or a stream fails. */
export const transientVariants = {
  'now-and-then-429': {
    about: 'Every 40th request is answered with 429 and a wait of 0; keys have limits of their own.',
    group: 'transient',
    wrap: () => ({
      reserve: (real) => (caller, tokensMost, call) => {
        const details = { status: 429, type: 'rate_limit_error', code: 'busy', headers: { 'retry-after': '0' } }
        if (call.number % 40 === 0) throw new GatewayError('Too many requests at this moment.', details)
        return real(caller, tokensMost, call)
      },
    }),
  },
  'now-and-then-503': {
    about: 'Every 40th request finds no node, as when nodes come and go; 503 is what the contract says.',
    group: 'transient',
    wrap: () => ({
      chooseNode: (real) => (model, call) => {
        if (call.number % 40 === 0) throw modelUnavailable()
        return real(model, call)
      },
    }),
  },
  'error-event-ends-stream': {
    reported: true,
    about: 'A node dies in every 50th stream, which ends with an error event; the contract does not show its form.',
    group: 'transient',
    wrap: () => dyingNode(),
  },
  'error-event-then-done': {
    reported: true,
    about: 'A node dies in every 50th stream, which ends with an error event and [DONE]; the signal is explicit.',
    group: 'transient',
    wrap: () => dyingNode(() => 'data: [DONE]\n\n'),
  },
  'error-in-the-last-chunk': {
    reported: true,
    about:
      'A node dies in every 50th stream, whose last chunk has an error beside its choices before [DONE]; the signal is explicit.',
    group: 'transient',
    wrap: () => {
      const ids = new WeakMap<Call, string>()
      return {
        ...dyingNode(),
        chunk: (real) => (parts, call) => {
          ids.set(call, parts.id)
          return real(parts, call)
        },
        frame: (real) => (data, call) =>
          data.startsWith('{"error"')
            ? `${real(JSON.stringify(lastChunk(ids.get(call), JSON.parse(data))), call)}data: [DONE]\n\n`
            : real(data, call),
      }
    },
  },
  'error-event-then-cut': {
    reported: true,
    about: 'A node dies in every 50th stream, which ends with an error event and a cut; the signal is explicit.',
    group: 'transient',
    wrap: () =>
      dyingNode(({ response }) => {
        setTimeout(() => response.destroy(), 5)
        return ''
      }),
  },
} as const satisfies Record<string, Variant>

/** A chunk that ends a stream with an error. */
function lastChunk(id: string | undefined, error: object): object {
  return { id, choices: [{ index: 0, delta: {}, finish_reason: 'error' }], ...error }
}

/** Lets a node die in every 50th stream. */
function dyingNode(onError: (call: Call) => string = () => ''): Wrap {
  return forOtherModels({
    generate: (real) => (node, job, signal, call) =>
      eachFragment(real(node, job, signal, call), (fragment, index) => {
        if (index === 5 && call.number % 50 === 0 && call.body?.stream === true) throw new Error('the node is gone')
        return [fragment]
      }),
    frame: (real) => (data, call) => real(data, call) + (data.startsWith('{"error"') ? onError(call) : ''),
  })
}
