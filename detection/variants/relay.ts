import { modelUnavailable } from '../../reference-server/gateway/gateway-error.ts'
import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { NodeFailure } from '../../reference-server/network/node-failure.ts'
import { at, textAt } from '../../src/json.ts'
import { type Carrier, inRequest } from '../relay-table/carriers.ts'
import { decodingNodes } from '../wraps/coding.ts'
import { hedging } from '../wraps/hedge.ts'
import { asJson, firstChoice } from '../wraps/json.ts'
import { changingNodeReplies, isRelayedCall, passingOn, readingAhead } from '../wraps/relay.ts'
import { isStream } from '../wraps/stream.ts'
import type { Variant } from './variant.ts'

/** Legal gateways that ask their nodes in an unusual way, or read them so. */
export const relayVariants = {
  'relay-sockets-hold-much': {
    about: 'A gateway and its sockets hold 44 MB of a reply that nobody reads, and then the node waits.',
    wrap: () => readingAhead(44e6),
  },
  'relay-defaults-left-out': {
    about: 'A node is not told what is the default anyway.',
    group: 'relayed-sampling',
    wrap: () => ({
      writeRequest: (real) => (request, call) => {
        const honest = real(request, call)
        const set = Object.entries(honest.body).filter(
          ([name, value]) => !['temperature', 'top_p'].includes(name) || value !== 1,
        )
        return isRelayedCall(call) ? { ...honest, body: Object.fromEntries(set) } : honest
      },
    }),
  },
  'relay-limit-by-its-new-name': {
    about: 'A node gets the limit as max_completion_tokens, which newer servers of the format prefer.',
    group: 'relayed-limit',
    wrap: () => ({
      writeRequest: (real) => (request, call) => {
        const honest = real(request, call)
        const { max_tokens: limit, ...rest } = asJson(honest.body)
        return isRelayedCall(call) ? { ...honest, body: { ...rest, max_completion_tokens: limit } } : honest
      },
    }),
  },
  'relay-large-limits-lowered': {
    about: 'A node is asked for at most 2048 tokens; the upper bound of a limit is not shown.',
    group: 'relayed-limit',
    wrap: () => changing(inRequest('max_tokens'), (limit) => Math.min(Number(limit), 2048)),
  },
  'relay-asks-for-json': {
    about: 'A node is asked for JSON where the client asked for it, as most gateways do; ours asks for streams only.',
    reported: true,
    wrap: () => ({
      writeRequest: (real) => (request, call) => {
        const honest = real(request, call)
        const { stream_options: _, ...asked } = asJson(honest.body)
        return isRelayedCall(call) && !isStream(call) ? { ...honest, body: { ...asked, stream: false } } : honest
      },
    }),
  },
  'relay-reads-compressed-nodes': {
    about: 'Nodes are told that gzip is read, and what they compress is decoded.',
    reported: true,
    wrap: decodingNodes,
  },
  'relay-hedges': {
    about:
      'Where a node has said nothing for 150 ms, a second one is asked too; whoever speaks first is heard, and the other is left.',
    reported: true,
    wrap: () => hedging(150),
  },
  'rests-when-every-node-failed': {
    reported: true,
    about: 'When two nodes failed at one request, all are rested for 0.4 s, and whoever asks meanwhile gets 503.',
    group: 'transient',
    wrap: () => resting(400),
  },
  'relay-one-stop-as-text': {
    about: 'A node gets a single stop sequence as text, and several as a list.',
    wrap: () => changing(inRequest('stop'), (stop) => (Array.isArray(stop) && stop.length === 1 ? stop[0] : stop)),
  },
  'relay-empty-stop-list': {
    about: 'A node gets an empty list where the client named no stop sequences.',
    wrap: () => changing(inRequest('stop'), (stop) => stop ?? []),
  },
  'relay-adds-fields-to-requests': {
    about: 'A node also gets fields that the contract does not name, with values that change nothing.',
    wrap: () => ({
      writeRequest: (real) => (request, call) => {
        const honest = real(request, call)
        const added = {
          n: 1,
          user: `u${call.number}`,
          seed: call.number,
          metadata: { gateway: 'north' },
          logprobs: false,
        }
        return isRelayedCall(call) ? { ...honest, body: { ...honest.body, ...added } } : honest
      },
    }),
  },
  'relay-adds-headers': {
    about: 'A node also gets headers of the gateway and an id of the request.',
    wrap: () => ({
      writeRequest: (real) => (request, call) => {
        const { headers, body } = real(request, call)
        return { headers: { ...headers, 'x-request-id': `r${call.number}`, via: '1.1 north' }, body }
      },
    }),
  },
  'relay-passes-unknown-headers-on': {
    reported: true,
    about: 'Headers of a client that the gateway does not read reach the node, as reverse proxies pass them on.',
    group: 'key-place',
    wrap: () => passingOn(['x-api-key', 'api-key', 'cookie']),
  },
  'relay-fragments-letter-by-letter': {
    about: 'The fragments of a node are sent on letter by letter; what the node counts stays.',
    group: 'relayed-fragments',
    wrap: () => ({
      frame: (real) => (data, call) =>
        (isRelayedCall(call) ? letterByLetter(data) : [data]).map((one) => real(one, call)).join(''),
    }),
  },
  'relay-fragments-joined': {
    about: 'Three fragments of a node are sent on as one.',
    group: 'relayed-fragments',
    wrap: () => joiningFragments(3),
  },
} as const satisfies Record<string, Variant>

/** Serves nobody for so long after a request at which more than one node failed. */
function resting(restMs: number): Wrap {
  const failures = new WeakMap<Call, number>()
  let untilMs = 0
  return {
    chooseNode: (real) => (model, call) => {
      if (performance.now() < untilMs) throw modelUnavailable()
      return real(model, call)
    },
    generate: (real) =>
      async function* (node, job, signal, call) {
        try {
          return yield* real(node, job, signal, call)
        } catch (error) {
          if (error instanceof NodeFailure && error.kind === 'refused') throw error
          const count = (failures.get(call) ?? 0) + 1
          failures.set(call, count)
          if (count > 1) untilMs = performance.now() + restMs
          throw error
        }
      },
  }
}

/** The chunks of each letter of a chunk. */
function letterByLetter(data: string): readonly string[] {
  const chunk: unknown = JSON.parse(data)
  const content = textAt(chunk, 'choices', 0, 'delta', 'content') ?? ''
  if (content.length < 2 || at(chunk, 'choices', 0, 'finish_reason') != null) return [data]
  return [...content].map((letter) =>
    JSON.stringify({
      ...asJson(chunk),
      choices: firstChoice(asJson(chunk), (choice) => ({
        ...choice,
        delta: { ...asJson(choice['delta']), content: letter },
      })),
    }),
  )
}

function changing(carrier: Carrier, change: (value: unknown) => unknown): Wrap {
  return carrier((value) => change(value))
}

/** Joins fragments of relayed replies, this many at a time. */
function joiningFragments(count: number): Wrap {
  return changingNodeReplies(async function* (words) {
    let held = { text: '', tokens: 0 }
    let fragments = 0
    for (;;) {
      const step = await words.next()
      if (step.done) {
        if (fragments > 0) yield held
        return step.value
      }
      held = { text: held.text + step.value.text, tokens: held.tokens + step.value.tokens }
      fragments += 1
      if (fragments === count) {
        yield held
        held = { text: '', tokens: 0 }
        fragments = 0
      }
    }
  })
}
