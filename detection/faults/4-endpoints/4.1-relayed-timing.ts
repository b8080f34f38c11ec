import { setTimeout } from 'node:timers/promises'
import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { NodeFailure } from '../../../reference-server/network/node-failure.ts'
import { compressingStreams } from '../../wraps/coding.ts'
import { decode } from '../../wraps/node-body.ts'
import { changingNodeReplies, rewritingReplies, tapping } from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** A reply that comes byte by byte, or in thousands of fragments, takes seconds on a busy machine. */
const follows = ['relay.any-form-of-stream', 'relay.long-text'] as const

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-timing.ts` must notice. */
export const relayedTimingFaults = {
  'relay-holds-crlf-streams': {
    about: "A node's stream with CRLF line ends is held back until it is complete.",
    breaks: ['relay.fragments-as-they-come'],
    wrap: () => tapping((reply) => ({ ...reply, body: heldIf(reply.body, '\r\n') })),
  },
  'relay-holds-streams': {
    about: 'Streams from nodes are held back until they are complete.',
    breaks: ['relay.fragments-as-they-come', 'relay.slow-reader-slows-the-node'],
    follows: ['relay.leaving-harms-no-others', 'relay.stream-left-is-cancelled'],
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
  'relay-one-fragment-behind': {
    about: 'A fragment of a stream is kept until the next one has come, or the end.',
    breaks: ['relay.fragments-wait-for-none'],
    wrap: () =>
      changingNodeReplies(async function* (words, call) {
        if (!isStream(call)) return yield* words
        let kept = await words.next()
        while (!kept.done) {
          const next = await words.next()
          yield kept.value
          kept = next
        }
        return kept.value
      }),
  },
  'relay-gzip-holds-streams': {
    about: 'Streams are compressed for clients that accept gzip, and the compressor keeps what it has until the end.',
    breaks: ['relay.compressed-fragments-as-they-come'],
    wrap: () => compressingStreams('at-the-end'),
  },
  'relay-first-token-within-two-seconds': {
    about: 'A node whose first token takes 2 s is given up, as if it were dead.',
    breaks: ['relay.slow-node-is-served'],
    follows,
    wrap: () => hurrying(({ count }) => (count === 0 ? 2000 : never)),
  },
  'relay-first-token-within-two-seconds-in-json': {
    about: 'A node whose first token takes 2 s is given up if the reply is not streamed.',
    breaks: ['relay.slow-node-is-served'],
    follows,
    wrap: () => hurrying(({ count, call }) => (count === 0 && !isStream(call) ? 2000 : never)),
  },
  'relay-slow-node-left-for-another': {
    about: 'When the first token of a node takes 2 s, another node is asked, for which the gateway waits.',
    breaks: ['relay.slow-node-is-served'],
    follows,
    wrap: () => hurrying(({ count, call }) => (count === 0 && call.tried.size < 2 ? 2000 : never)),
  },
  'relay-next-token-within-two-seconds': {
    about: 'A node that pauses for 2 s between two tokens is given up.',
    breaks: ['relay.slow-node-is-served'],
    follows,
    wrap: () => hurrying(({ count }) => (count > 0 ? 2000 : never)),
  },
  'relay-five-seconds-in-all': {
    about: 'A reply whose last token comes after more than 5 s is given up, although tokens keep coming.',
    breaks: ['relay.slow-node-is-served'],
    follows,
    wrap: () => hurrying(({ elapsedMs }) => 5000 - elapsedMs),
  },
  'relay-whole-after-five-seconds': {
    about: 'A stream that takes longer than 5 s is ended there as if it were complete.',
    breaks: ['relay.slow-node-is-served'],
    follows,
    wrap: () => hurrying(({ elapsedMs, call }) => (isStream(call) ? 5000 - elapsedMs : never), 'stop'),
  },
  'relay-half-a-minute-in-all': {
    about: 'A stream that takes longer than half a minute is cut off, although tokens keep coming.',
    breaks: ['relay.stream-of-minutes'],
    wrap: () => hurrying(({ elapsedMs, call }) => (isStream(call) ? 30_000 - elapsedMs : never)),
  },
} as const satisfies Record<string, Fault>

const never = 60_000

interface Moment {
  /** Fragments so far. */
  readonly count: number
  readonly elapsedMs: number
  readonly call: Call
}

/** Gives a node up when its next fragment takes longer than this, or takes what has come for the whole reply. */
function hurrying(limitMs: (moment: Moment) => number, end?: 'stop'): Wrap {
  return changingNodeReplies(async function* (words, call) {
    const startMs = performance.now()
    for (let count = 0; ; count += 1) {
      const next = words.next()
      next.catch(() => undefined)
      const ms = limitMs({ count, elapsedMs: performance.now() - startMs, call })
      const step = await Promise.race([next, setTimeout(ms, undefined, { ref: false })])
      if (step?.done) return step.value
      if (step !== undefined) yield step.value
      else if (end === undefined) throw new NodeFailure('silent', 'the node is slow')
      else return end
    }
  })
}

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
