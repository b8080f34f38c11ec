import type { Call } from '../../../reference-server/gateway/seams.ts'
import { replyChoices } from '../../wraps/reply.ts'
import { changingSink, changingStreamFragments, isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Checks that notice by chance: joined words, or words of the gateway, may form a stop sequence. */
const byChance = ['stop.random-ends-text'] as const

/** Gateways that the checks of `suites/6-events/6-content.ts` must notice. */
export const contentFaults = {
  'sse-no-done-when-much-is-asked': {
    about: 'Streams with a large round max_tokens end without [DONE].',
    breaks: ['stream.long-reply-ends'],
    wrap: () => ({ doneFrame: (real) => (call) => (call.body?.tokensMax === 512 ? '' : real(call)) }),
  },
  'sse-held-to-the-end': {
    about: 'A stream is held back and sent in one piece.',
    breaks: ['stream.not-buffered'],
    wrap: () => ({
      generate: (real) =>
        async function* (node, job, signal, call) {
          const source = real(node, job, signal, call)
          for (;;) {
            const step = await source.next()
            if (step.done) return step.value
            if (isStream(call) && job.tokensMax <= 64 && job.messages.at(-1)?.content.includes('long story') === true)
              await new Promise((turn) => setTimeout(turn, 8))
            yield step.value
          }
        },
      ...changingSink((sink) => {
        let held = ''
        return {
          write: async (text) => {
            held += String(text)
          },
          end: async () => {
            await sink.write(held)
            await sink.end()
          },
        }
      }),
    }),
  },
  'reply-mojibake': {
    about: 'Characters outside ASCII are encoded twice in non-streamed replies.',
    breaks: ['stream.no-mojibake', 'stream.equals-reply-unicode'],
    wrap: () =>
      replyChoices((choice, { text }) => ({
        ...choice,
        message: { role: 'assistant', content: Buffer.from(text, 'utf8').toString('latin1') },
      })),
  },
  'reply-cut-at-two-kilobytes': {
    about: 'A non-streamed reply is cut after 2048 characters.',
    breaks: ['stream.equals-reply-when-long'],
    wrap: () =>
      replyChoices((choice, { text }) => ({ ...choice, message: { role: 'assistant', content: text.slice(0, 2048) } })),
  },
  'fragments-with-line-separators-lost': {
    about: 'Stream fragments with U+0085, U+2028 or U+2029 in them are lost.',
    breaks: ['stream.equals-reply-unicode'],
    wrap: () => changingStreamFragments((text) => (/[\u0085\u2028\u2029]/.test(text) ? [] : [text])),
  },
  'text-behind-the-marker-lost': {
    about: 'A stream whose text says [DONE] loses what follows.',
    breaks: ['stream.equals-reply-unicode'],
    wrap: () => {
      const said = new WeakMap<Call, string>()
      return changingStreamFragments((text, _, call) => {
        const before = said.get(call) ?? ''
        said.set(call, before + text)
        return before.includes('[DONE]') ? [] : [text]
      })
    },
  },
  'text-missing-from-stream': {
    about: 'No delta of a stream has any content.',
    breaks: ['stream.has-text'],
    wrap: () => changingStreamFragments(() => ['']),
  },
  'text-fragment-dropped': {
    about: 'The sixth fragment of a stream is lost.',
    breaks: ['stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: byChance,
    wrap: () => changingStreamFragments((text, index) => (index === 5 ? [] : [text])),
  },
  'text-last-fragment-dropped': {
    about: 'The last fragment of a long stream is lost.',
    breaks: ['stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: byChance,
    wrap: () => changingStreamFragments((text, index) => (index === 63 ? [] : [text])),
  },
  'text-fragment-doubled': {
    about: 'The sixth fragment of a stream is sent twice.',
    breaks: ['stream.equals-reply', 'stream.equals-reply-unicode', 'billing.stream-charged'],
    follows: byChance,
    wrap: () => changingStreamFragments((text, index) => (index === 5 ? [text, text] : [text])),
  },
  'text-every-fragment-doubled': {
    about: 'Every fragment of a stream is sent twice.',
    breaks: [
      'stream.fragments-not-repeated',
      'stream.equals-reply',
      'stream.equals-reply-unicode',
      'billing.stream-charged',
    ],
    follows: byChance,
    wrap: () => changingStreamFragments((text) => [text, text]),
  },
  'text-repeats-deduplicated': {
    about: 'A fragment equal to the one before it is dropped.',
    breaks: ['stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: byChance,
    wrap: () => {
      const last = new WeakMap<object, string>()
      return changingStreamFragments((text, _, call) => {
        const same = last.get(call) === text
        last.set(call, text)
        return same ? [] : [text]
      })
    },
  },
  'text-reordered': {
    about: 'Two fragments of a stream swap places.',
    breaks: ['stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: byChance,
    wrap: () => {
      const held = new WeakMap<object, string>()
      return changingStreamFragments((text, index, call) => {
        if (index === 8) {
          held.set(call, text)
          return []
        }
        return index === 9 ? [text, held.get(call) ?? ''] : [text]
      })
    },
  },
  'text-trimmed': {
    about: 'The fragments of streams are trimmed of white space.',
    breaks: ['stream.white-space-kept', 'stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: byChance,
    wrap: () => changingStreamFragments((text) => [text.trim()]),
  },
  'text-newlines-lost': {
    about: 'Streams lose their line breaks.',
    breaks: ['stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: byChance,
    wrap: () => changingStreamFragments((text) => [text.replaceAll('\n', '')]),
  },
  'text-repeated-at-end': {
    about: 'The whole text of a stream is sent again after its fragments.',
    breaks: ['stream.fragments-not-repeated', 'stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: ['stop.ends-stream', ...byChance],
    wrap: () => ({
      generate: (real) =>
        async function* (node, job, signal, call) {
          const source = real(node, job, signal, call)
          let whole = ''
          for (;;) {
            const step = await source.next()
            if (step.done) {
              if (isStream(call)) yield { text: whole, tokens: 0 }
              return step.value
            }
            whole += step.value.text
            yield step.value
          }
        },
    }),
  },
  'text-notice-added': {
    about: "A stream cut by its limit ends with a sentence of the gateway's own.",
    breaks: ['stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: byChance,
    wrap: () => ({
      generate: (real) =>
        async function* (node, job, signal, call) {
          const reason = yield* real(node, job, signal, call)
          if (isStream(call) && reason === 'length') yield { text: ' [reply truncated]', tokens: 0 }
          return reason
        },
    }),
  },
  'text-replaced-characters': {
    about: 'Streams send replacement characters for text outside ASCII.',
    breaks: ['stream.no-mojibake', 'stream.equals-reply-unicode'],
    wrap: () => changingStreamFragments((text) => [isWide(text) ? '\ufffd' : text]),
  },
  'text-latin-1': {
    about: 'Streams decode characters outside ASCII as Latin-1.',
    breaks: ['stream.no-mojibake', 'stream.equals-reply-unicode'],
    wrap: () => changingStreamFragments((text) => [isWide(text) ? Buffer.from(text).toString('latin1') : text]),
  },
  'text-fragment-two-hundred-lost': {
    about: 'The two hundredth fragment of a stream is lost.',
    breaks: ['stream.equals-reply-when-long'],
    wrap: () => changingStreamFragments((text, index) => (index === 199 ? [] : [text])),
  },
  'text-escaped-for-pages': {
    about: 'The text of streams is escaped for HTML.',
    breaks: ['stream.equals-reply-unicode'],
    wrap: () =>
      changingStreamFragments((text) => [
        text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;'),
      ]),
  },
  'text-tabs-become-spaces': {
    about: 'Tabs become spaces in streams.',
    breaks: ['stream.equals-reply-unicode'],
    wrap: () => changingStreamFragments((text) => [text.replaceAll('\t', ' ')]),
  },
  'text-grows-in-streams': {
    about: 'Each fragment of a stream repeats all of the text so far.',
    breaks: ['stream.equals-reply', 'stream.equals-reply-unicode'],
    follows: byChance,
    wrap: () => {
      const said = new WeakMap<object, string>()
      return changingStreamFragments((text, _, call) => {
        said.set(call, (said.get(call) ?? '') + text)
        return [said.get(call) ?? '']
      })
    },
  },
  'text-grows-in-streams-of-one-model': {
    about: 'Each fragment of one model repeats all of the text so far.',
    breaks: ['stream.equals-reply-each-model'],
    wrap: () => {
      const said = new WeakMap<object, string>()
      return changingStreamFragments((text, _, call) => {
        if (call.model?.id !== 'large') return [text]
        said.set(call, (said.get(call) ?? '') + text)
        return [said.get(call) ?? '']
      })
    },
  },
} as const satisfies Record<string, Fault>

/** Whether a text has characters outside ASCII. */
function isWide(text: string): boolean {
  return [...text].some((character) => character > '\u007f')
}
