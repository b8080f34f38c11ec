import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { answerHeaders } from '../wraps/answer.ts'
import { compressingStreams } from '../wraps/coding.ts'
import { beforeFirstFrame, changingSink, frames, streamBytes } from '../wraps/stream.ts'
import type { Variant } from './variant.ts'

const lineFeed = '\n'.charCodeAt(0)

/** Legal gateways that write the bytes of streams unusually. */
export const bytesVariants = {
  'sse-no-space-after-colon': {
    reported: true,
    about: 'Events are `data:{json}`; the space after the colon is optional in SSE.',
    group: 'data-field',
    wrap: () => frames((frame) => frame.replace(/^data: /gm, 'data:')),
  },
  'sse-many-events-one-write': {
    reported: true,
    about: 'Three events come in each write; only blank lines separate events.',
    group: 'stream-bytes',
    wrap: () =>
      changingSink((sink) => {
        let held: Buffer[] = []
        const release = (): Promise<void> | undefined => {
          const bytes = Buffer.concat(held)
          held = []
          return sink.write(bytes)
        }
        return {
          write(part) {
            held.push(Buffer.from(part))
            return held.length < 3 ? Promise.resolve() : release()
          },
          async end() {
            if (held.length > 0) await release()
            await sink.end()
          },
        }
      }),
  },
  'sse-one-byte-writes': {
    reported: true,
    about: 'The first events are written byte by byte; segment borders mean nothing in a byte stream.',
    group: 'stream-bytes',
    wrap: () =>
      changingSink((sink) => {
        let slowBytes = 48
        return {
          async write(part) {
            const bytes = Buffer.from(part)
            const slow = Math.min(slowBytes, bytes.length)
            slowBytes -= slow
            for (let at = 0; at < slow; at += 1) {
              await sink.write(bytes.subarray(at, at + 1))
              await nextTurn()
            }
            if (slow < bytes.length) await sink.write(bytes.subarray(slow))
          },
        }
      }),
  },
  'sse-cut-inside-characters': {
    reported: true,
    about: 'Writes end inside `data:` and inside the bytes of a character; a client has to decode across them.',
    group: 'stream-bytes',
    wrap: () =>
      changingSink((sink) => ({
        async write(part) {
          const bytes = Buffer.from(part)
          const wide = bytes.findIndex((byte) => byte >= 0xc0)
          for (const [from, to] of wide > 3
            ? [[0, 3] as const, [3, wide + 1] as const, [wide + 1, bytes.length] as const]
            : [[0, 3] as const, [3, bytes.length] as const]) {
            await sink.write(bytes.subarray(from, to))
            await nextTurn()
          }
        },
      })),
  },
  'sse-crlf': {
    reported: true,
    about: 'Lines end with CRLF, one of the three line ends of SSE.',
    group: 'stream-bytes',
    wrap: () => streamBytes((bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')),
  },
  'sse-cr-only': {
    reported: true,
    about: 'Lines end with a lone CR, one of the three line ends of SSE.',
    group: 'stream-bytes',
    wrap: () => streamBytes((bytes) => bytes.map((byte) => (byte === lineFeed ? 13 : byte)) as Buffer),
  },
  'sse-mixed-line-ends': {
    about: 'Some lines end with LF and others with CRLF; an SSE parser takes each line by itself.',
    group: 'stream-bytes',
    wrap: () => {
      let count = 0
      return streamBytes((bytes) => {
        count += 1
        return count % 2 === 0 ? bytes : Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
      })
    },
  },
  'sse-byte-order-mark': {
    about: 'The stream begins with a byte order mark, which SSE allows and tells parsers to drop.',
    group: 'stream-bytes',
    wrap: () =>
      changingSink((sink) => {
        let mark = '\ufeff'
        return {
          write(part) {
            const bytes = Buffer.concat([Buffer.from(mark), Buffer.from(part)])
            mark = ''
            return sink.write(bytes)
          },
        }
      }),
  },
  'sse-leading-blank-lines': {
    about: 'Blank lines come before the first event and between events; without data they dispatch nothing.',
    wrap: () => frames((frame) => `\n\n${frame}\n`),
  },
  'sse-comments-between-events': {
    reported: true,
    about: 'Comment lines between events keep the connection alive; parsers ignore lines that begin with a colon.',
    wrap: () => frames((frame) => `: keep-alive\n\n${frame}`),
  },
  'sse-comments-within-events': {
    about: 'A comment line stands directly above the data line of each event; parsers ignore it.',
    wrap: () => frames((frame) => `:\n${frame}`),
  },
  'sse-processing-comments-first': {
    reported: true,
    about:
      'Several comments come before the first event, as routers send them while a node thinks; comments are not events.',
    wrap: () => beforeFirstFrame(() => ': ROUTER PROCESSING\n\n'.repeat(3)),
  },
  'sse-metadata-comment-before-done': {
    reported: true,
    about: 'A comment with the cost of the reply comes before the last event; comments are not events.',
    wrap: () => ({ doneFrame: (real) => (call) => `: x-request-cost=0.000012\n\n${real(call)}` }),
  },
  'sse-comment-after-done': {
    about: 'A comment follows the last event; the last event is still [DONE].',
    wrap: () => ({ doneFrame: (real) => (call) => `${real(call)}: bye\n\n` }),
  },
  'sse-event-field': {
    reported: true,
    about: 'Each event names its type, the default `message`; that field is part of SSE.',
    wrap: () => frames((frame) => `event: message\n${frame}`),
  },
  'sse-id-field': {
    reported: true,
    about: 'Each event has an `id` field for reconnection; that field is part of SSE.',
    wrap: () => {
      let id = 0
      return frames((frame) => {
        id += 1
        return `id: ${id}\n${frame}`
      })
    },
  },
  'sse-retry-field': {
    reported: true,
    about: 'The stream begins with a `retry` field; that field is part of SSE.',
    wrap: () => beforeFirstFrame(() => 'retry: 3000\n\n'),
  },
  'sse-unknown-field': {
    reported: true,
    about: 'Each event has fields that SSE does not know; parsers ignore them.',
    wrap: () => frames((frame) => `trace: 7f3a\nnonsense\n${frame}`),
  },
  'stream-type-odd-case': {
    reported: true,
    about: 'The media type is written in mixed case and without a space; its meaning is the same.',
    group: 'content-type',
    wrap: () => ({
      streamHead: (real) => (call) => {
        const head = real(call)
        return { ...head, headers: { ...head.headers, 'content-type': 'Text/Event-Stream;Charset="UTF-8"' } }
      },
    }),
  },
  'stream-type-bare': {
    about: 'The media type of a stream names no charset; SSE is always UTF-8.',
    group: 'content-type',
    wrap: () =>
      answerHeaders((fields) =>
        fields['content-type']?.startsWith('text/event-stream') === true
          ? { ...fields, 'content-type': 'text/event-stream' }
          : fields,
      ),
  },
  'stream-closes-late': {
    about: 'The body ends 60 ms after the last event; the contract sets no time for that.',
    wrap: () =>
      changingSink((sink) => ({
        async end() {
          await sleep(60)
          await sink.end()
        },
      })),
  },
  'stream-gzip-flushed': {
    reported: true,
    about: 'Streams are compressed for clients that accept gzip, and every event is flushed at once.',
    group: 'stream-bytes',
    wrap: () => compressingStreams('with-each-event'),
  },
} as const satisfies Record<string, Variant>
