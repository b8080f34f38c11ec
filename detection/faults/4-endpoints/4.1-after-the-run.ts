import { once } from 'node:events'
import { isRelayedCall } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-after-the-run.ts` must notice. */
export const afterTheRunFaults = {
  'server-deaf-behind-a-long-stream': {
    about: 'After a stream that was allowed to be very long, the server answers nobody.',
    breaks: ['service.survives-the-run'],
    wrap: () => {
      let deaf = false
      return {
        serve: (real) => async (call) => {
          if (deaf) await new Promise<void>((gone) => call.left.addEventListener('abort', () => gone()))
          else await real(call)
          deaf ||= call.body?.tokensMax === 512
        },
      }
    },
  },
  'nodes-that-failed-are-given-up-for-good': {
    about: 'Nodes of which one has failed are never asked again.',
    breaks: ['relay.nodes-are-asked-again', 'relay.recovers'],
    follows: ['relay.another-node-is-tried'],
    wrap: () => {
      let hasFailed = false
      return {
        generate: (real) =>
          async function* (node, job, signal, call) {
            try {
              return yield* real(node, job, signal, call)
            } catch (error) {
              hasFailed = true
              throw error
            }
          },
        chooseNode: (real) => (model, call) => (hasFailed && isRelayedCall(call) ? undefined : real(model, call)),
      }
    },
  },
  'refusal-is-shorter-than-it-says': {
    about: 'The error of an unknown path announces forty bytes more than it has.',
    breaks: ['http.announced-refusals-come'],
    wrap: () => ({
      sendBody: (real) => async (head, body, call) => {
        if (head.status !== 404 || call.request.url?.endsWith('/no-such-path') !== true) return real(head, body, call)
        const length = Buffer.byteLength(body) + 40
        call.response.writeHead(404, { ...head.headers, 'content-length': length }).write(body)
        await once(call.left, 'abort')
      },
    }),
  },
} as const satisfies Record<string, Fault>
