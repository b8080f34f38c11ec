import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { headerOf } from '../../wraps/request.ts'
import { changingSink, endingStreamsWith, framingEvents } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

const chunkOfSecond = (delta: object, reason: string | null): string =>
  `data: ${JSON.stringify({ id: 'second', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`

const secondReply = chunkOfSecond({ role: 'assistant', content: 'And more.' }, null) + chunkOfSecond({}, 'stop')

/** Gateways that the checks of `suites/6-events/6-framing.ts` must notice. */
export const framingFaults = {
  'sse-one-bare-line': {
    about: 'The last chunk is a bare line of JSON, without the `data:` prefix.',
    breaks: ['stream.no-bare-lines', 'chunk.finish-reason-once'],
    wrap: () => framingEvents((data) => (/"finish_reason":"/.test(data) ? `${data}\n\n` : `data: ${data}\n\n`)),
  },
  'sse-single-newline-at-end': {
    about: 'No blank line separates the last chunk from the [DONE] marker.',
    breaks: ['stream.ends-with-done', 'chunk.is-json', 'chunk.finish-reason-once', 'stream.one-line-events'],
    wrap: () => framingEvents((data) => (/"finish_reason":"/.test(data) ? `data: ${data}\n` : `data: ${data}\n\n`)),
  },
  'sse-two-data-lines': {
    about: 'A chunk is split over two `data:` lines.',
    breaks: ['stream.one-line-events'],
    wrap: () => framingEvents((data) => `data: ${data.replace(/,"choices"/, ',\ndata: "choices"')}\n\n`),
  },
  'sse-no-done': {
    about: 'The [DONE] marker is never sent.',
    breaks: ['stream.ends-with-done'],
    wrap: () => endingStreamsWith(''),
  },
  'sse-no-done-when-long': {
    about: 'Long streams end without the [DONE] marker.',
    breaks: ['stream.ends-with-done'],
    wrap: () => droppingDoneAfter(90),
  },
  'sse-bare-done': {
    about: 'The [DONE] marker is a bare line, without the `data:` prefix.',
    breaks: ['stream.ends-with-done', 'stream.no-bare-lines'],
    wrap: () => endingStreamsWith('[DONE]\n\n'),
  },
  'sse-done-in-quotes': {
    about: 'The [DONE] marker is a JSON string.',
    breaks: ['stream.ends-with-done', 'chunk.is-json'],
    wrap: () => endingStreamsWith('data: "[DONE]"\n\n'),
  },
  'sse-done-lower-case': {
    about: 'The [DONE] marker is in lower case.',
    breaks: ['stream.ends-with-done', 'chunk.is-json'],
    wrap: () => endingStreamsWith('data: [done]\n\n'),
  },
  'sse-done-twice': {
    about: 'The [DONE] marker is sent twice.',
    breaks: ['stream.done-once'],
    wrap: () => endingStreamsWith('data: [DONE]\n\ndata: [DONE]\n\n'),
  },
  'sse-usage-after-done': {
    about: 'A chunk follows the [DONE] marker.',
    breaks: ['stream.nothing-after-done'],
    wrap: () => ({ doneFrame: (real) => (call) => `${real(call)}data: {"id":"x","choices":[]}\n\n` }),
  },
  'sse-text-after-done': {
    about: 'A notice follows the [DONE] marker as data.',
    breaks: ['stream.nothing-after-done'],
    wrap: () => ({ doneFrame: (real) => (call) => `${real(call)}data: bye\n\n` }),
  },
  'sse-two-replies': {
    about: 'A second reply, with an id, a finish reason and an end marker of its own, follows the [DONE] marker.',
    breaks: ['stream.nothing-after-done'],
    wrap: () => ({ doneFrame: (real) => (call) => `${real(call)}${secondReply}${real(call)}` }),
  },
  'sse-empty-data': {
    about: 'An event without data is sent as a keep-alive.',
    breaks: ['stream.no-empty-data'],
    wrap: () => framingEvents((data) => (data.includes('"role"') ? `data: ${data}\n\ndata:\n\n` : `data: ${data}\n\n`)),
  },
  'sse-done-unterminated': {
    about: 'No blank line follows the [DONE] marker.',
    breaks: ['stream.ends-with-done', 'stream.events-terminated'],
    wrap: () => endingStreamsWith('data: [DONE]\n'),
  },
  'sse-trailing-line': {
    about: 'An unfinished line follows the [DONE] marker.',
    breaks: ['stream.events-terminated'],
    wrap: () => endingStreamsWith('data: [DONE]\n\ndata'),
  },
  'sse-never-closes': {
    about: 'The response stays open after the [DONE] marker.',
    breaks: ['stream.closes'],
    wrap: () =>
      changingSink((_, call) => ({
        end: () => new Promise((gone) => call.left.addEventListener('abort', () => gone())),
      })),
  },
  'sse-cut-behind-done': {
    about: 'The connection is cut after the [DONE] marker, in the middle of the transfer.',
    breaks: ['stream.whole-transfer', 'stream.leaving-harms-nobody'],
    wrap: () =>
      changingSink((_, call) => ({
        end: async () => {
          await new Promise((turn) => setTimeout(turn, 5))
          call.response.destroy()
        },
      })),
  },
  'text-bytes-broken': {
    about: 'Streams send characters outside ASCII as broken bytes.',
    breaks: ['stream.valid-utf8', 'stream.no-mojibake', 'stream.equals-reply-unicode'],
    wrap: () =>
      changingSink((sink) => ({
        write: (part) =>
          sink.write(
            typeof part === 'string' && part.includes('本') ? Buffer.from(part).filter((byte) => byte !== 0xac) : part,
          ),
      })),
  },
  'sse-compressed-badly': {
    about: 'A stream is labelled as compressed but is not.',
    breaks: ['stream.compressed-still-valid'],
    wrap: () => ({
      streamHead: (real) => (call) => {
        const head = real(call)
        return /gzip/.test(headerOf(call, 'accept-encoding'))
          ? { ...head, headers: { ...head.headers, 'content-encoding': 'gzip' } }
          : head
      },
    }),
  },
} as const satisfies Record<string, Fault>

/** Ends streams of more than this many chunks without [DONE]. */
function droppingDoneAfter(chunksMax: number): Wrap {
  const sent = new WeakMap<object, number>()
  return {
    frame: (real) => (data, call) => {
      sent.set(call, (sent.get(call) ?? 0) + 1)
      return real(data, call)
    },
    doneFrame: (real) => (call) => ((sent.get(call) ?? 0) > chunksMax ? '' : real(call)),
  }
}
