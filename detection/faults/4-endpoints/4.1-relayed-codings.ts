import type { Call, Head, Wrap } from '../../../reference-server/gateway/seams.ts'
import { bothWraps } from '../../wraps/both.ts'
import { decodingNodes, isCompressed, offeringNodes } from '../../wraps/coding.ts'
import { tapping } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-codings.ts` must notice. */
export const relayedCodingsFaults = {
  'relay-reads-compressed-bytes': {
    about: 'Nodes are told that gzip is read, and what they compress is not decoded.',
    breaks: ['relay.compressed-node-is-read'],
    wrap: () => offeringNodes(() => 'gzip'),
  },
  'relay-passes-the-offer-on': {
    about: 'Nodes are told what the client reads, and what they compress for it is not decoded.',
    breaks: ['relay.compressed-node-is-read'],
    wrap: () => offeringNodes(({ request }) => String(request.headers['accept-encoding'] ?? 'identity')),
  },
  'relay-passes-the-coding-on': {
    about: 'What a node compressed is decoded, and sent on with the Content-Encoding of the node.',
    breaks: ['relay.compressed-node-is-read'],
    wrap: () => bothWraps(namingTheCoding(), decodingNodes()),
  },
} as const satisfies Record<string, Fault>

/** Says `Content-Encoding: gzip` of replies that a node compressed. */
function namingTheCoding(): Wrap {
  const coded = new WeakSet<Call>()
  const named = (head: Head, call: Call): Head =>
    coded.has(call) ? { ...head, headers: { ...head.headers, 'content-encoding': 'gzip' } } : head
  return {
    ...tapping((reply, call) => {
      if (isCompressed(reply)) coded.add(call)
      return reply
    }),
    replyHead: (real) => (call) => named(real(call), call),
    streamHead: (real) => (call) => named(real(call), call),
  }
}
