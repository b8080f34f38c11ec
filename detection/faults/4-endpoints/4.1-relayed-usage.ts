import type { Call, Usage, Wrap } from '../../../reference-server/gateway/seams.ts'
import { decode } from '../../wraps/node-body.ts'
import { isRelayedCall, tapping } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** They compare what is charged, or what was allowed, with the counts that are shown. */
const follows = [
  'billing.relayed-is-charged',
  'billing.each-model-at-its-price',
  'max-tokens.limits-each-model',
] as const

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-usage.ts` must notice. */
export const relayedUsageFaults = {
  'relay-usage-is-the-limit': {
    about: "For an operator's nodes, completion tokens are reported and charged as max_tokens.",
    breaks: ['relay.usage-is-not-the-limit'],
    follows: ['billing.left-node-is-paid-for-its-words'],
    wrap: () => ({
      countCompletionTokens: (real) => (counted, call) =>
        isRelayedCall(call) ? (call.body?.tokensMax ?? counted) : real(counted, call),
    }),
  },
  'relay-usage-of-the-last-reply': {
    about: "Replies of an operator's nodes report the usage of the reply before.",
    breaks: ['relay.usage-of-its-own'],
    follows,
    wrap: () => ({ completion: showing(ofTheLast()) }),
  },
  'relay-usage-of-the-last-stream': {
    about: "Streams of an operator's nodes report the usage of the stream before.",
    breaks: ['relay.usage-of-its-own'],
    follows,
    wrap: () => ({ usageChunk: showing(ofTheLast()) }),
  },
  'relay-prompt-of-the-last-request': {
    about: "Replies of an operator's nodes report the prompt tokens of the request before.",
    breaks: ['relay.usage-of-its-own'],
    follows: [...follows, 'relay.exchanges-in-turn'],
    wrap: () => {
      const last = ofTheLast()
      return { completion: showing((usage) => ({ ...usage, promptTokens: last(usage).promptTokens })) }
    },
  },
  'relay-usage-added-up': {
    about: "Streams of an operator's nodes report the completion tokens of all streams so far.",
    breaks: ['relay.usage-of-its-own'],
    follows,
    wrap: () => {
      let sum = 0
      return {
        usageChunk: showing((usage) => {
          sum += usage.completionTokens
          return { ...usage, completionTokens: sum }
        }),
      }
    },
  },
  'relay-running-usage-summed': {
    about: 'Where a node tells its usage in every chunk, all of them are added up.',
    breaks: ['relay.running-usage-is-not-summed'],
    follows: ['relay.every-reply-unchanged'],
    wrap: () => countingByBody((tokens, body) => tokens * Math.max(1, body.split('"usage":{').length - 1)),
  },
  'relay-reasoning-counted-twice': {
    about: 'The reasoning tokens of which a node tells are added to its completion tokens.',
    breaks: ['relay.usage-details-are-not-added'],
    follows: ['relay.every-reply-unchanged'],
    wrap: () => countingByBody((tokens, body) => tokens + Number(/"reasoning_tokens":(\d+)/.exec(body)?.[1] ?? 0)),
  },
} as const satisfies Record<string, Fault>

/** Counts other completion tokens, by what a node has sent. */
function countingByBody(change: (tokens: number, body: string) => number): Wrap {
  const bodies = new WeakMap<Call, string>()
  return {
    ...tapping((reply, call) => ({ ...reply, body: reading(reply.body, (text) => bodies.set(call, text)) })),
    countCompletionTokens: (real) => (counted, call) => change(real(counted, call), bodies.get(call) ?? ''),
  }
}

/** Tells what of the body has come so far. */
async function* reading(body: AsyncIterable<Uint8Array>, tell: (text: string) => void) {
  let text = ''
  for await (const bytes of body) {
    text += decode(bytes)
    tell(text)
    yield bytes
  }
}

/** Reports other counts of relayed replies. */
function showing<Parts extends Usage>(change: (usage: Usage) => Usage) {
  return (real: (parts: Parts, call: Call) => unknown) =>
    (parts: Parts, call: Call): unknown =>
      real(isRelayedCall(call) ? { ...parts, ...change(parts) } : parts, call)
}

/** The counts of the reply before. */
function ofTheLast(): (usage: Usage) => Usage {
  let last: Usage | undefined
  return ({ promptTokens, completionTokens }) => {
    const shown = last ?? { promptTokens, completionTokens }
    last = { promptTokens, completionTokens }
    return shown
  }
}
