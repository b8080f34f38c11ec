import type { Call } from '../../../reference-server/gateway/seams.ts'
import { inChunks, inReply, inRequest } from '../../relay-table/carriers.ts'
import { distorting } from '../../relay-table/relayed-value.ts'
import { isRelayedCall, tapping } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-audits.ts` must notice. */
export const relayedAuditsFaults = {
  'relay-late-chunks-name-the-file': {
    about: 'From the hundredth chunk on, the model is the name of a file.',
    breaks: ['relay.exchange-details'],
    wrap: () => distorting(inChunks('model'), () => '/models/a.gguf', { holds: (_, { index }) => index >= 100 }),
  },
  'relay-long-replies-colder': {
    about: 'A node that is asked for more than 8000 tokens is asked with a temperature of 0.',
    breaks: ['relay.every-request-unchanged'],
    wrap: () => distorting(inRequest('temperature'), () => 0, { holds: ({ body }) => (body?.tokensMax ?? 0) > 8000 }),
  },
  'relay-key-on-the-second-try': {
    about: "On the second try the caller's headers are sent along.",
    breaks: ['relay.no-request-shows-a-key'],
    wrap: () => ({
      writeRequest: (real) => (request, call) => {
        const honest = real(request, call)
        if (!isRelayedCall(call) || call.tried.size < 2) return honest
        return { ...honest, headers: { ...honest.headers, 'x-caller': call.request.headers.authorization ?? '' } }
      },
    }),
  },
  'relay-created-reply-without-model': {
    about: 'A reply that a node sent with 201 names no model.',
    breaks: ['relay.every-reply-unchanged'],
    wrap: () => {
      const created = new WeakSet<Call>()
      return {
        ...tapping((reply, call) => {
          if (reply.status === 201) created.add(call)
          return reply
        }),
        ...inReply('model')((model, call) => (created.has(call) ? undefined : model)),
      }
    },
  },
} as const satisfies Record<string, Fault>
