import type { Call } from '../../../reference-server/gateway/seams.ts'
import { NodeFailure } from '../../../reference-server/network/node-failure.ts'
import { respelling } from '../../wraps/node-body.ts'
import { changingFragments, mangling } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-chunks.ts` must notice. */
export const relayedChunksFaults = {
  'relay-null-is-a-word': {
    about: "A node's chunk with content null is read as the word None.",
    breaks: ['relay.spare-and-full-chunks'],
    wrap: () => mangling(respelling('"content":null', '"content":"None"')),
  },
  'relay-text-beside-the-end-is-lost': {
    about: "Text in a node's chunk that also has the finish reason is not read.",
    breaks: ['relay.spare-and-full-chunks'],
    wrap: () => mangling(respelling(/"content":"[^"]+"(\},"finish_reason":")/g, '"content":""$1')),
  },
  'relay-ends-at-a-chunk-without-a-choice': {
    about: "A node's chunk without a choice is taken for the end of its stream.",
    breaks: ['relay.spare-and-full-chunks'],
    follows: ['relay.every-reply-unchanged'],
    wrap: () =>
      mangling(respelling(/"choices":\[\],"prompt_filter_results".*?\n\n/g, '"choices":[]}\n\ndata: [DONE]\n\n')),
  },
  'relay-takes-the-word-error-for-a-failure': {
    about: 'A node whose first fragment has the word error has failed.',
    breaks: ['relay.error-words-pass'],
    wrap: () =>
      changingFragments((text, _, { count }) => {
        if (count === 0 && text.includes('error')) throw new NodeFailure('status', 'the node said error')
        return text
      }),
  },
  'relay-takes-repeats-for-a-loop': {
    about: 'A stream of a node is broken off once a hundred fragments in a row were equal.',
    breaks: ['relay.equal-fragments-pass'],
    wrap: () => {
      const repeats = new WeakMap<Call, number>()
      return changingFragments((text, call, { previous }) => {
        const count = text === previous ? (repeats.get(call) ?? 0) + 1 : 0
        repeats.set(call, count)
        if (count >= 100) throw new NodeFailure('broken', 'the model repeats itself')
        return text
      })
    },
  },
} as const satisfies Record<string, Fault>
