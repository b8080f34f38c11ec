import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import type { Fragment } from '../../../reference-server/network/node.ts'
import { NodeFailure } from '../../../reference-server/network/node-failure.ts'
import { failingOn, failingWithout } from '../../wraps/node-body.ts'
import {
  changingFragments,
  changingNodeReplies,
  isRelayedCall,
  mangling,
  rewritingReplies,
  tapping,
} from '../../wraps/relay.ts'
import { isStream, isWhole } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

const exact = ['relay.reply-text-exact', 'relay.stream-text-exact'] as const

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-text.ts` must notice. */
export const relayedTextFaults = {
  'relay-repeats-dropped': {
    about: 'A fragment equal to the one before it is dropped as a repetition.',
    breaks: exact,
    wrap: () => changingFragments((text, _, { previous }) => (text === previous ? undefined : text)),
  },
  'relay-repeats-dropped-in-streams': {
    about: 'In streams, a fragment equal to the one before it is dropped.',
    breaks: ['relay.stream-text-exact', 'stream.equals-reply-each-model'],
    wrap: () =>
      changingFragments((text, call, { previous }) => (isStream(call) && text === previous ? undefined : text)),
  },
  'relay-white-space-dropped': {
    about: 'Fragments of nothing but white space are dropped.',
    breaks: exact,
    wrap: () => changingFragments((text) => (text.trim() === '' ? undefined : text)),
  },
  'relay-beginning-trimmed': {
    about: 'White space at the beginning of a reply is trimmed.',
    breaks: exact,
    wrap: () => changingFragments((text, _, { count }) => (count === 0 ? text.trimStart() : text)),
  },
  'relay-reply-trimmed': {
    about: 'Non-streamed replies are trimmed.',
    breaks: ['relay.reply-text-exact', 'relay.long-text'],
    wrap: () => rewritingReplies((texts) => [texts.join('').trim()], isWhole),
  },
  'relay-text-normalised': {
    about: 'Text is converted to another Unicode form, with composed letters.',
    breaks: exact,
    wrap: () => changingFragments((text) => text.normalize('NFC')),
  },
  'relay-joiners-removed': {
    about: 'Zero-width joiners are removed, which takes emoji apart.',
    breaks: exact,
    wrap: () => changingFragments((text) => text.replaceAll('\u200d', '')),
  },
  'relay-text-escaped': {
    about: 'Text is escaped as for HTML.',
    breaks: exact,
    wrap: () => changingFragments((text) => text.replaceAll('<', '&lt;')),
  },
  'relay-text-unescaped': {
    about: 'A backslash followed by n in the text becomes a line break.',
    breaks: exact,
    wrap: () => changingFragments((text) => text.replaceAll('\\n', '\n')),
  },
  'relay-end-marker-in-text': {
    about: 'The letters [DONE] in a text end it.',
    breaks: exact,
    wrap: () =>
      rewritingReplies((texts) => {
        const at = texts.findIndex((text) => text.includes('[DONE]'))
        return at === -1 ? texts : texts.slice(0, at)
      }),
  },
  'relay-line-ends-in-text': {
    about: 'CRLF in a text becomes LF.',
    breaks: exact,
    wrap: () => changingFragments((text) => text.replaceAll('\r\n', '\n')),
  },
  'relay-field-name-removed': {
    about: 'The letters `data:` are removed from a text.',
    breaks: exact,
    wrap: () => changingFragments((text) => text.replace('data: ', '')),
  },
  'relay-fragment-cut-at-16k': {
    about: 'A fragment is cut after 16 kB.',
    breaks: exact,
    wrap: () => changingFragments((text) => text.slice(0, 16_384)),
  },
  'relay-late-letters-changed': {
    about: 'Text after the first 20,000 letters of a fragment becomes capitals.',
    breaks: exact,
    wrap: () => changingFragments((text) => text.slice(0, 20_000) + text.slice(20_000).toUpperCase()),
  },
  'relay-late-fragments-changed': {
    about: 'Fragments after the two thousandth become capitals.',
    breaks: ['relay.long-text'],
    wrap: () => changingFragments((text, _, { count }) => (count > 2000 ? text.toUpperCase() : text)),
  },
  'relay-first-fragment-lost': {
    about: 'Some streams lose their first fragment.',
    breaks: ['relay.stream-text-exact', 'stream.equals-reply-each-model'],
    wrap: () =>
      changingFragments((text, call, { count }) =>
        isStream(call) && count === 0 && text !== 'One ' ? undefined : text,
      ),
  },
  'relay-last-fragment-lost': {
    about: 'A stream of many fragments loses the last one.',
    breaks: ['relay.stream-text-exact', 'stream.equals-reply-each-model'],
    wrap: () => endingStreams((last, count) => (count > 5 ? [] : [last])),
  },
  'relay-last-fragment-doubled': {
    about: 'A stream of many fragments sends the last one twice.',
    breaks: ['relay.stream-text-exact', 'stream.equals-reply-each-model'],
    follows: ['billing.each-model-at-its-price'],
    wrap: () => endingStreams((last, count) => (count > 5 ? [last, last] : [last])),
  },
  'relay-fragments-joined-by-spaces': {
    about: 'The fragments of a short non-streamed reply are joined with spaces.',
    breaks: ['relay.reply-text-exact', 'relay.long-lines'],
    wrap: () => rewritingReplies((texts) => [texts.length > 9 ? texts.join('') : texts.join(' ')], isWhole),
  },
  'relay-thousand-fragments': {
    about: 'Only the first thousand fragments of a stream are passed on.',
    breaks: ['relay.long-text'],
    wrap: () => changingFragments((text, call, { count }) => (isStream(call) && count >= 1000 ? undefined : text)),
  },
  'relay-long-reply-cut': {
    about: 'A non-streamed reply is cut after 24,000 letters.',
    breaks: ['relay.long-text', 'relay.long-lines'],
    follows: ['relay.reply-text-exact'],
    wrap: () =>
      rewritingReplies((texts) => {
        const text = texts.join('')
        return text.startsWith('a long line') ? texts : [text.slice(0, 24_000)]
      }, isWhole),
  },
  'relay-replies-mixed': {
    about: 'When several streams run at once, one gets a fragment of another.',
    breaks: ['relay.replies-not-mixed'],
    wrap: () => {
      let underWay = 0
      let last = ''
      return changingNodeReplies(async function* (words) {
        underWay += 1
        try {
          for (;;) {
            const step = await words.next()
            if (step.done) return step.value
            const own = step.value.text
            const text = underWay > 5 && isVoice(own) && isVoice(last) ? last : own
            last = own
            yield { ...step.value, text }
          }
        } finally {
          underWay -= 1
        }
      })
    },
  },
  'relay-length-is-stop': {
    about: 'A reply that the node cut off is reported as complete.',
    breaks: ['relay.finish-reason'],
    wrap: () =>
      changingNodeReplies(async function* (words) {
        yield* words
        return 'stop'
      }),
  },
  'relay-stop-is-length-in-streams': {
    about: 'Every stream is reported as cut off.',
    breaks: ['relay.finish-reason'],
    wrap: () =>
      changingNodeReplies(async function* (words, call) {
        const reason = yield* words
        return isStream(call) ? 'length' : reason
      }),
  },
  'relay-empty-is-null': {
    about: 'A node that says nothing yields content null.',
    breaks: ['relay.empty-text'],
    wrap: () => ({
      completion: (real) => (parts, call) => {
        const reply = Object(real(parts, call))
        const message = { role: 'assistant', content: null }
        return isRelayedCall(call) && parts.text === ''
          ? { ...reply, choices: [{ index: 0, message, finish_reason: 'stop' }] }
          : reply
      },
    }),
  },
  'relay-empty-is-a-failure': {
    about: 'A node that says nothing is taken for one that failed.',
    breaks: ['relay.empty-text'],
    wrap: () =>
      changingNodeReplies(async function* (words) {
        let hasSpoken = false
        for (;;) {
          const step = await words.next()
          if (step.done && !hasSpoken) throw new NodeFailure('broken', 'the node said nothing')
          if (step.done) return step.value
          hasSpoken = true
          yield step.value
        }
      }),
  },
  'relay-names-the-model-of-the-node': {
    about: "The reply names a file on the node instead of the model's id.",
    breaks: ['relay.model-is-what-was-asked', 'completion.model'],
    wrap: () => ({
      completion: (real) => (parts, call) =>
        real(isRelayedCall(call) ? { ...parts, model: '/models/other-name.gguf' } : parts, call),
    }),
  },
  'relay-id-of-the-node': {
    about: 'Replies have the id that the node gave, and each node counts from 1.',
    breaks: ['relay.ids-are-unique', 'completion.ids-unique'],
    follows: ['chunk.ids-unique'],
    wrap: () => ({ newId: (real) => (call) => (isRelayedCall(call) ? 'chatcmpl-1' : real(call)) }),
  },
  'relay-zero-is-nothing': {
    about: 'Streams drop a node\'s fragment "0", which PHP takes as false.',
    breaks: ['relay.stream-text-exact'],
    wrap: () => changingFragments((text, call) => (isStream(call) && text === '0' ? undefined : text)),
  },
  'relay-usage-is-needed': {
    about: "A node's stream that reports no usage is taken for a failure.",
    breaks: ['relay.usage-whatever-the-node-counts'],
    wrap: () => tapping((reply) => ({ ...reply, body: failingWithout(reply.body, '"usage":{', 'Grüße') })),
  },
  'relay-usage-of-null-fails': {
    about: 'A usage of null from a node fails the reply.',
    breaks: ['relay.usage-whatever-the-node-counts'],
    wrap: () => mangling(failingOn('"usage":null', 'One ')),
  },
  'relay-unknown-fields-fail': {
    about: 'An unknown field from a node fails the reply.',
    breaks: ['relay.unknown-fields-pass'],
    wrap: () => mangling(failingOn('"x_node"', '')),
  },
  'relay-knows-200-alone': {
    about: "A node's reply with status 201 is taken for a failure.",
    breaks: ['relay.other-success-status'],
    wrap: () => tapping((reply) => (reply.status === 201 ? { ...reply, status: 500 } : reply)),
  },
} as const satisfies Record<string, Fault>

/** Sends other fragments in place of the last one of a stream. */
function endingStreams(change: (last: string, count: number) => readonly string[]): Wrap {
  return changingNodeReplies(async function* (words, call) {
    if (!isStream(call)) return yield* words
    let held: Fragment | undefined
    for (let count = 0; ; count += 1) {
      const step = await words.next()
      if (step.done) {
        if (held !== undefined) for (const text of change(held.text, count)) yield { ...held, text }
        return step.value
      }
      if (held !== undefined) yield held
      held = step.value
    }
  })
}

function isVoice(text: string): boolean {
  return text.startsWith('voice')
}
