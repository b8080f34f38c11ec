import type { StreamSink, Wrap } from '../gateway/seams.ts'
import type { Fault } from './fault.ts'
import { isStream } from './tools.ts'

/** Changes the bytes of a stream. */
function sinks(
  change: (sink: StreamSink, call: Parameters<import('../gateway/seams.ts').Seams['openStream']>[1]) => StreamSink,
): Wrap {
  return { openStream: (real) => (head, call) => change(real(head, call), call) }
}

const frames = (change: (data: string) => string): Wrap => ({ frame: () => (data) => change(data) })
const done = (text: string): Wrap => ({ doneFrame: () => () => text })
const isLong = (lengthMin: number): Wrap => {
  const sent = new WeakMap<object, number>()
  return {
    frame: (real) => (data, call) => {
      sent.set(call, (sent.get(call) ?? 0) + 1)
      return real(data, call)
    },
    doneFrame: (real) => (call) => ((sent.get(call) ?? 0) > lengthMin ? '' : real(call)),
  }
}

/** Faults in the framing of streams. */
export const framingFaults = {
  'sse-double-prefix': {
    about: 'Events have their prefix twice.',
    breaks: ['stream.answers'],
    wrap: () => frames((data) => `data: data: ${data}\n\n`),
  },
  'sse-no-prefix': {
    about: 'Chunks are bare lines of JSON.',
    breaks: ['stream.answers'],
    wrap: () => frames((data) => `${data}\n\n`),
  },
  'sse-one-bare-line': {
    about: 'The last chunk is a bare line of JSON.',
    breaks: ['stream.no-bare-lines', 'chunk.finish-reason-once'],
    wrap: () => frames((data) => (/"finish_reason":"/.test(data) ? `${data}\n\n` : `data: ${data}\n\n`)),
  },
  'sse-single-newline': {
    about: 'Events are not ended by a blank line.',
    breaks: ['stream.answers'],
    wrap: () => frames((data) => `data: ${data}\n`),
  },
  'sse-single-newline-at-end': {
    about: 'The last chunk runs into the marker.',
    breaks: ['stream.ends-with-done', 'chunk.is-json', 'chunk.finish-reason-once', 'stream.one-line-events'],
    wrap: () => frames((data) => (/"finish_reason":"/.test(data) ? `data: ${data}\n` : `data: ${data}\n\n`)),
  },
  'sse-two-data-lines': {
    about: 'A chunk is spread over two data lines.',
    breaks: ['stream.one-line-events'],
    wrap: () => frames((data) => `data: ${data.replace(/,"choices"/, ',\ndata: "choices"')}\n\n`),
  },
  'sse-ndjson': {
    about: 'Chunks are lines of JSON under another media type.',
    breaks: ['stream.answers'],
    wrap: () => ({
      ...frames((data) => `${data}\n`),
      ...done(''),
      streamHead: () => () => ({ status: 200, headers: { 'content-type': 'application/x-ndjson' } }),
    }),
  },
  'sse-as-json': {
    about: 'A stream is labelled application/json.',
    breaks: ['stream.content-type'],
    wrap: () => ({
      streamHead: (real) => (call) => ({ ...real(call), headers: { 'content-type': 'application/json' } }),
    }),
  },
  'sse-as-text': {
    about: 'A stream is labelled text/plain.',
    breaks: ['stream.content-type'],
    wrap: () => ({ streamHead: (real) => (call) => ({ ...real(call), headers: { 'content-type': 'text/plain' } }) }),
  },
  'sse-no-done': {
    about: 'The marker is never sent.',
    breaks: ['stream.ends-with-done'],
    wrap: () => done(''),
  },
  'sse-no-done-when-long': {
    about: 'Long streams end without the marker.',
    breaks: ['stream.ends-with-done'],
    wrap: () => isLong(90),
  },
  'sse-no-done-when-much-is-asked': {
    about: 'Streams of a large round limit end without the marker.',
    breaks: ['stream.long-reply-ends'],
    wrap: () => ({ doneFrame: (real) => (call) => (call.body?.tokensMax === 512 ? '' : real(call)) }),
  },
  'sse-bare-done': {
    about: 'The marker is a bare line.',
    breaks: ['stream.ends-with-done', 'stream.no-bare-lines'],
    wrap: () => done('[DONE]\n\n'),
  },
  'sse-done-in-quotes': {
    about: 'The marker is a JSON string.',
    breaks: ['stream.ends-with-done', 'chunk.is-json'],
    wrap: () => done('data: "[DONE]"\n\n'),
  },
  'sse-done-lower-case': {
    about: 'The marker is in lower case.',
    breaks: ['stream.ends-with-done', 'chunk.is-json'],
    wrap: () => done('data: [done]\n\n'),
  },
  'sse-done-twice': {
    about: 'The marker is sent twice.',
    breaks: ['stream.done-once'],
    wrap: () => done('data: [DONE]\n\ndata: [DONE]\n\n'),
  },
  'sse-usage-after-done': {
    about: 'A chunk follows the marker.',
    breaks: ['stream.nothing-after-done', 'chunk.id-constant'],
    wrap: () => ({ doneFrame: (real) => (call) => `${real(call)}data: {"id":"x","choices":[]}\n\n` }),
  },
  'sse-text-after-done': {
    about: 'A notice follows the marker as data.',
    breaks: ['stream.nothing-after-done', 'chunk.is-json'],
    wrap: () => ({ doneFrame: (real) => (call) => `${real(call)}data: bye\n\n` }),
  },
  'sse-empty-data': {
    about: 'An event without data is sent as a keep-alive.',
    breaks: ['stream.no-empty-data'],
    wrap: () => frames((data) => (data.includes('"role"') ? `data: ${data}\n\ndata:\n\n` : `data: ${data}\n\n`)),
  },
  'sse-done-unterminated': {
    about: 'The marker lacks its blank line.',
    breaks: ['stream.ends-with-done', 'stream.events-terminated'],
    wrap: () => done('data: [DONE]\n'),
  },
  'sse-trailing-line': {
    about: 'A line without an end follows the marker.',
    breaks: ['stream.events-terminated'],
    wrap: () => done('data: [DONE]\n\ndata'),
  },
  'sse-zero-bytes': {
    about: 'A stream is empty under a 200.',
    breaks: ['stream.answers'],
    wrap: () => ({ ...frames(() => ''), ...done('') }),
  },
  'sse-done-only': {
    about: 'A stream holds the marker and nothing else.',
    breaks: ['stream.answers'],
    wrap: () => frames(() => ''),
  },
  'sse-hangs': {
    about: 'A stream never sends a byte.',
    breaks: ['stream.answers'],
    wrap: () => ({
      openStream: (real) => (head, call) =>
        isStream(call)
          ? {
              write: () => Promise.resolve(),
              end: () => new Promise((gone) => call.left.addEventListener('abort', () => gone())),
            }
          : real(head, call),
    }),
  },
  'sse-never-closes': {
    about: 'The response stays open behind the marker.',
    breaks: ['stream.closes'],
    wrap: () =>
      sinks((sink, call) => ({
        ...sink,
        end: () => new Promise((gone) => call.left.addEventListener('abort', () => gone())),
      })),
  },
  'sse-cut-behind-done': {
    about: 'The connection is cut behind the marker, in the middle of the transfer.',
    breaks: ['stream.whole-transfer', 'stream.leaving-harms-nobody'],
    wrap: () =>
      sinks((sink, call) => ({
        ...sink,
        end: async () => {
          await new Promise((turn) => setTimeout(turn, 5))
          call.response.destroy()
        },
      })),
  },
  'sse-cut-midway': {
    about: 'The connection is cut in the middle of every stream.',
    breaks: ['stream.answers'],
    wrap: () =>
      sinks((sink, call) => {
        let writes = 0
        return {
          ...sink,
          write: async (text) => {
            writes += 1
            if (writes === 5) call.response.destroy()
            else await sink.write(text)
          },
        }
      }),
  },
  'sse-two-framings': {
    about: 'A stream has a length and a chunked coding.',
    breaks: ['http.one-framing'],
    wrap: () => ({
      serve: (real) => async (call) => {
        // Only a raw socket sees it: an HTTP client would refuse the answer altogether.
        const raw = call.request.headers.connection === 'close'
        if (raw) call.response.on('pipe', () => {})
        const { socket } = call.response
        if (!raw || socket === null) return real(call)
        const write = socket.write.bind(socket)
        Object.assign(socket, {
          write: (part: string | Uint8Array, ...rest: []) =>
            write(
              typeof part === 'string'
                ? part.replace(/transfer-encoding: chunked\r\n/i, 'transfer-encoding: chunked\r\ncontent-length: 9\r\n')
                : part,
              ...rest,
            ),
        })
        await real(call)
      },
    }),
  },
  'sse-stale-head-inside': {
    about: 'The second stream on a connection begins with the head of the first.',
    breaks: ['http.streams-back-to-back'],
    wrap: () => {
      const seen = new WeakSet<object>()
      return sinks((sink, call) => {
        const { socket } = call.request
        const again = seen.has(socket)
        seen.add(socket)
        if (again) void sink.write('HTTP/1.1 200 OK\nDate: today\n\n')
        return sink
      })
    },
  },
  'sse-compressed-badly': {
    about: 'A stream says that it is compressed and is not.',
    breaks: ['stream.compressed-still-valid'],
    wrap: () => ({
      streamHead: (real) => (call) => {
        const head = real(call)
        return /gzip/.test(String(call.request.headers['accept-encoding'] ?? ''))
          ? { ...head, headers: { ...head.headers, 'content-encoding': 'gzip' } }
          : head
      },
    }),
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
      ...sinks((sink) => {
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
  'server-deaf-behind-a-long-stream': {
    about: 'Behind a stream that was allowed to be very long the server answers nobody.',
    breaks: ['service.survives-the-run'],
    wrap: () => {
      let deaf = false
      return {
        serve: (real) => async (call) => {
          if (deaf) await new Promise<void>((gone) => call.left.addEventListener('abort', () => gone()))
          else await real(call)
          deaf ||= call.body?.tokensMax === 512
        },
      }
    },
  },
} as const satisfies Record<string, Fault>
