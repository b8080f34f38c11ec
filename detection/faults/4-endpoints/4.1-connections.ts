import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../../../reference-server/gateway/seams.ts'
import { headerOf, refusal, refusingHeads } from '../../wraps/request.ts'
import { changingSink } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-connections.ts` must notice. */
export const connectionsFaults = {
  'body-decoded-packet-by-packet': {
    about: 'The body is decoded packet by packet: a character split between two packets is broken.',
    breaks: ['http.slow-body'],
    wrap: () => ({
      readBody: (real) => async (call) => {
        const texts: string[] = []
        call.request.on('data', (piece: Buffer) => texts.push(piece.toString()))
        const bytes = await real(call)
        return bytes.toString() === texts.join('') ? bytes : Buffer.from(texts.join(''))
      },
    }),
  },
  'authorization-in-capitals-unseen': {
    about: 'An AUTHORIZATION header written in capitals is not seen.',
    breaks: ['http.header-names-without-case'],
    wrap: () => refusingHeads(401, ({ request }) => request.rawHeaders.includes('AUTHORIZATION')),
  },
  'sse-two-framings': {
    about: 'A stream has both a Content-Length and chunked coding.',
    breaks: ['http.one-framing'],
    wrap: () => ({
      serve: (real) => async (call) => {
        // Only for the raw socket of the check: an HTTP client would refuse the answer altogether.
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
      return changingSink((sink, call) => {
        const { socket } = call.request
        const again = seen.has(socket)
        seen.add(socket)
        if (again) void sink.write('HTTP/1.1 200 OK\nDate: today\n\n')
        return sink
      })
    },
  },
  'error-closes-the-connection': {
    about: 'After refusing a body that is not JSON, the gateway closes the connection without notice.',
    breaks: ['http.keep-alive-after-error'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        try {
          return real(bytes, call)
        } catch (error) {
          call.response.once('finish', () => call.request.socket.destroySoon())
          throw error
        }
      },
    }),
  },
  'stream-begins-with-a-head': {
    about:
      'The second stream on a connection begins with the text of an HTTP head if the client sends no Connection header.',
    breaks: ['http.streams-back-to-back'],
    wrap: () => {
      const served = new WeakSet<Socket>()
      return {
        openStream: (real) => (head, call) => {
          const { socket, headers } = call.request
          const isSecond = served.has(socket) && headers.connection === undefined
          served.add(socket)
          const sink = real(head, call)
          if (isSecond) void sink.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
          return sink
        },
      }
    },
  },
  'stream-framed-twice': {
    about: 'A stream requested with Connection: close has both a Content-Length and chunked coding.',
    breaks: ['http.one-framing'],
    wrap: () => ({
      streamHead: (real) => (call) => {
        const head = real(call)
        const framing = { 'content-length': '4096', 'transfer-encoding': 'chunked' }
        return asksToClose(call) ? { ...head, headers: { ...head.headers, ...framing } } : head
      },
    }),
  },
  'reply-shorter-than-announced': {
    about: 'A reply requested with Connection: close is ten bytes shorter than its Content-Length says.',
    breaks: ['http.one-framing'],
    wrap: () => ({
      sendBody: (real) => async (head, body, call) => {
        if (!asksToClose(call)) return real(head, body, call)
        const { response } = call
        response.writeHead(head.status, { ...head.headers, 'content-length': Buffer.byteLength(body) + 10 })
        response.write(body)
        await sleep(5)
        response.destroy()
      },
    }),
  },
  'chunked-request-is-400': {
    about: 'A chunked request body is refused as a mistake of the client.',
    breaks: ['http.chunked-request'],
    wrap: () => refusingHeads(400, (call) => headerOf(call, 'transfer-encoding') !== ''),
  },
  'chunked-request-is-empty': {
    about: 'A chunked request body is read as an empty one.',
    breaks: ['http.chunked-request'],
    wrap: () => ({
      readBody: (real) => async (call) => {
        const body = await real(call)
        return headerOf(call, 'transfer-encoding') === '' ? body : Buffer.alloc(0)
      },
    }),
  },
  'slow-body-is-408': {
    about: 'A short body that takes more than 45 ms to arrive is given up with 408.',
    breaks: ['http.slow-body'],
    wrap: () => ({
      readBody: (real) => async (call) => {
        let firstAt = 0
        call.request.once('data', () => {
          firstAt = performance.now()
        })
        const body = await real(call)
        if (body.length < 1000 && performance.now() - firstAt > 45) throw refusal(408)
        return body
      },
    }),
  },
  'expectation-is-500': {
    about: 'A request that waits for 100 Continue crashes the handler.',
    breaks: ['http.expect-continue'],
    wrap: () => refusingHeads(500, (call) => headerOf(call, 'expect') !== ''),
  },
  'old-clients-get-chunks': {
    about: 'A stream is sent in chunked coding even to HTTP/1.0 clients.',
    breaks: ['http.old-clients-get-no-chunks'],
    wrap: () => ({
      streamHead: (real) => (call) => {
        const { status, headers } = real(call)
        return { status, headers: { ...headers, 'transfer-encoding': 'chunked' } }
      },
    }),
  },
} as const satisfies Record<string, Fault>

/** Whether the client asks for the connection to be closed after the answer. */
function asksToClose(call: Call): boolean {
  return headerOf(call, 'connection').toLowerCase() === 'close'
}
