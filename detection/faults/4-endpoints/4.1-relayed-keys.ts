import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { askingNodes, isRelayedCall } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-keys.ts` must notice. */
export const relayedKeysFaults = {
  'relay-key-in-the-request': {
    about: "The caller's key is added as a note to the conversation that the node sees.",
    breaks: ['relay.key-stays-with-us', 'relay.messages-unchanged'],
    wrap: () =>
      askingNodes((job, { request }) => ({
        ...job,
        messages: [{ role: 'system', content: request.headers.authorization ?? '' }, ...job.messages],
      })),
  },
  'relay-passes-x-api-key-on': {
    about: "The caller's X-Api-Key reaches the node.",
    breaks: ['relay.key-in-other-headers-stays'],
    wrap: () => passingOn('x-api-key'),
  },
  'relay-passes-cookies-on': {
    about: "The caller's cookies reach the node.",
    breaks: ['relay.key-in-other-headers-stays'],
    wrap: () => passingOn('cookie'),
  },
} as const satisfies Record<string, Fault>

/** Sends a header of the client to the node, as a proxy does that replaces only Authorization. */
function passingOn(name: string): Wrap {
  return {
    writeRequest: (real) => (request, call) => {
      const honest = real(request, call)
      const value = call.request.headers[name]
      if (!isRelayedCall(call) || typeof value !== 'string') return honest
      return { ...honest, headers: { ...honest.headers, [name]: value } }
    },
  }
}
