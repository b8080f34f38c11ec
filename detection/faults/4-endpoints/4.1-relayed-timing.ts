import { setTimeout } from 'node:timers/promises'
import { decode } from '../../wraps/node-body.ts'
import { changingNodeReplies, rewritingReplies, tapping } from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-timing.ts` must notice. */
export const relayedTimingFaults = {
  'relay-holds-crlf-streams': {
    about: "A node's stream with CRLF line ends is held back until it is complete.",
    breaks: ['relay.fragments-as-they-come'],
    wrap: () => tapping((reply) => ({ ...reply, body: heldIf(reply.body, '\r\n') })),
  },
  'relay-holds-streams': {
    about: 'Streams from nodes are held back until they are complete.',
    breaks: ['relay.fragments-as-they-come', 'relay.stream-left-is-cancelled', 'relay.slow-reader-slows-the-node'],
    follows: ['relay.leaving-harms-no-others'],
    wrap: () => rewritingReplies((texts) => texts),
  },
  'relay-first-word-waits': {
    about: 'A stream starts half a second late, with all that has come by then in one piece.',
    breaks: ['relay.fragments-as-they-come'],
    wrap: () =>
      changingNodeReplies(async function* (words, call) {
        const first = await words.next()
        if (first.done) return first.value
        if (isStream(call)) await setTimeout(500)
        yield first.value
        return yield* words
      }),
  },
} as const satisfies Record<string, Fault>

/** Holds a body back until it is complete, if its beginning holds a mark. */
async function* heldIf(body: AsyncIterable<Uint8Array>, mark: string) {
  const held: Uint8Array[] = []
  let isHeld: boolean | undefined
  for await (const bytes of body) {
    isHeld ??= decode(bytes).includes(mark)
    if (isHeld) held.push(bytes)
    else yield bytes
  }
  if (held.length > 0) yield new Uint8Array(Buffer.concat(held))
}
