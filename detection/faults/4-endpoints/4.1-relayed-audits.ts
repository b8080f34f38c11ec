import { inChunks, inReply, inRequest } from '../../relay-table/carriers.ts'
import { distorting } from '../../relay-table/relayed-value.ts'
import { firstOnly } from '../../relay-table/watch.ts'
import { isRelayedCall } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-audits.ts` must notice. */
export const relayedAuditsFaults = {
  'relay-late-chunks-name-the-file': {
    about: 'From the hundredth chunk on, the model is the name of a file.',
    breaks: ['relay.exchange-details'],
    wrap: () => distorting(inChunks('model'), () => '/models/a.gguf', { holds: (_, { index }) => index >= 100 }),
  },
  'relay-first-request-colder': {
    about: 'The first request that is relayed reaches the node with a temperature of 0.',
    breaks: ['relay.every-request-unchanged'],
    wrap: () => distorting(inRequest('temperature'), () => 0, firstOnly()),
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
  'relay-first-reply-without-model': {
    about: 'The first reply that is relayed names no model.',
    breaks: ['relay.every-reply-unchanged'],
    wrap: () => distorting(inReply('model'), () => undefined, firstOnly()),
  },
} as const satisfies Record<string, Fault>
