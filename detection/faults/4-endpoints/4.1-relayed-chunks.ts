import { respelling } from '../../wraps/node-body.ts'
import { mangling } from '../../wraps/relay.ts'
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
} as const satisfies Record<string, Fault>
