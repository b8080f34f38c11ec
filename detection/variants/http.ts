import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { bodyTooLarge, GatewayError } from '../../reference-server/gateway/gateway-error.ts'
import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { finish } from '../../reference-server/gateway/stream.ts'
import { answerHeaders } from '../wraps/answer.ts'
import { beforeServing, offers } from '../wraps/request.ts'
import type { Variant } from './variant.ts'

const largeBytes = 3_000_000

/** Sends whole bodies without a length. */
const lengthless: Wrap = {
  sendBody:
    () =>
    ({ status, headers: fields }, body, { response, left }) => {
      response.writeHead(status, fields)
      response.write(body.slice(0, 9))
      return finish(response, body.slice(9), left)
    },
}

/** Legal gateways that use HTTP unusually. */
export const httpVariants = {
  'close-delimited-body': {
    reported: true,
    about: 'Bodies have neither a length nor chunks and end when the connection closes; RFC 9112 (6.3) allows it.',
    group: 'framing',
    wrap: () => ({
      ...lengthless,
      ...beforeServing(({ response }) => {
        response.shouldKeepAlive = false
        response.useChunkedEncodingByDefault = false
      }),
    }),
  },
  'http-1.0-answers': {
    reported: true,
    about:
      'Chunked requests are not read, and answers say HTTP/1.0 and end with the connection; that is all that 1.0 knows.',
    // HTTP/1.0 knows no interim answers.
    group: ['framing', 'interim'],
    wrap: () => ({
      ...lengthless,
      ...beforeServing(speakVersion10),
      readBody: (real) => async (call) => {
        const body = await real(call)
        return call.request.headers['transfer-encoding'] === undefined ? body : Buffer.alloc(0)
      },
    }),
  },
  'json-chunked': {
    about: 'Non-streamed replies use chunked coding; a Content-Length is not required.',
    group: 'framing',
    wrap: () => lengthless,
  },
  'json-gzip': {
    reported: true,
    about: 'Bodies are compressed with gzip for clients that accept it.',
    group: 'framing',
    wrap: () => compressingBodies('gzip', (body) => gzipSync(body)),
  },
  'json-brotli': {
    about: 'Bodies are compressed with brotli for clients that accept it.',
    group: 'framing',
    wrap: () => compressingBodies('br', (body) => brotliCompressSync(body)),
  },
  'json-deflate': {
    about: 'Bodies are compressed with deflate for clients that accept it.',
    group: 'framing',
    wrap: () => compressingBodies('deflate', (body) => deflateSync(body)),
  },
  'compressed-requests-limited': {
    about:
      'Clients that accept compression have a limit of their own and are told so in a compressed body; a gateway may choose both.',
    group: 'framing',
    wrap: () => {
      const compressed = compressingBodies('deflate', (body) => deflateSync(body))
      return {
        ...compressed,
        reserve: (real) => (caller, tokensMost, call) => {
          if (!offers(call, 'deflate')) return real(caller, tokensMost, call)
          throw new GatewayError('Too many requests.', { status: 429, type: 'rate_limit_error', code: 'busy' })
        },
      }
    },
  },
  'json-keep-alive-spaces': {
    about: 'White space comes before a slow reply while the node works; before JSON it has no meaning.',
    group: 'framing',
    wrap: () => ({
      sendBody: (real) => async (head, body, call) => {
        if (head.status !== 200) return real(head, body, call)
        call.response.writeHead(head.status, head.headers)
        for (let turn = 0; turn < 3; turn += 1) {
          call.response.write(' \n')
          await sleep(8)
        }
        await finish(call.response, body, call.left)
      },
    }),
  },
  'connections-idle-briefly': {
    about: 'A connection that is idle for a moment is closed without notice; the contract promises no idle time.',
    wrap: () => {
      const latest = new WeakMap<object, Call>()
      return {
        serve: (real) => async (call) => {
          const { socket } = call.request
          latest.set(socket, call)
          const closeWhenIdle = (): void => {
            if (latest.get(socket) === call) socket.destroy()
          }
          call.response.once('finish', () => setTimeout(closeWhenIdle, 3))
          await real(call)
        },
      }
    },
  },
  'connection-close-everywhere': {
    about: 'Every answer says Connection: close and closes; the contract does not promise to keep connections.',
    wrap: () =>
      beforeServing(({ response }) => {
        response.shouldKeepAlive = false
      }),
  },
  'interim-103': {
    reported: true,
    about: 'An interim answer 103 comes before every final one; clients have to skip it.',
    group: 'interim',
    wrap: () => beforeServing(({ response }) => response.writeEarlyHints({ link: '</docs>; rel=help' })),
  },
  'interim-102': {
    about: 'An interim answer 102 comes before every final one; clients have to skip it.',
    group: 'interim',
    wrap: () => beforeServing(({ response }) => response.writeProcessing()),
  },
  'interim-100': {
    reported: true,
    about:
      'An interim answer 100 comes before every final one, asked for or not; RFC 9110 (15.2) makes clients skip it.',
    group: 'interim',
    wrap: () => beforeServing(({ response }) => response.writeContinue()),
  },
  'headers-upper-case': {
    about: 'Header names are written in capitals; their case has no meaning.',
    group: 'content-type',
    wrap: () =>
      answerHeaders((fields) =>
        Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toUpperCase(), value])),
      ),
  },
  'headers-repeated-and-many': {
    reported: true,
    about: 'Answers carry many extra headers, one of them twice; extra headers are welcome.',
    wrap: () =>
      beforeServing(({ response, number }) => {
        response.appendHeader('x-cache-key', 'a').appendHeader('x-cache-key', 'b')
        response.appendHeader('x-request-id', `req_${number}`).appendHeader('set-cookie', '__bm=1; HttpOnly')
        for (let index = 0; index < 30; index += 1) response.appendHeader(`x-detail-${index}`, 'v'.repeat(60))
      }),
  },
  'headers-no-date': {
    about: 'Answers have no Date header, as from a server without a clock; HTTP allows that.',
    wrap: () =>
      beforeServing(({ response }) => {
        response.sendDate = false
      }),
  },
  'headers-cors': {
    about: 'Answers allow every origin; the contract says nothing about CORS.',
    wrap: () => answerHeaders((fields) => ({ ...fields, 'access-control-allow-origin': '*' })),
  },
  'headers-of-limits-everywhere': {
    about: 'Every answer names the limits of its key; the contract shows no headers of answers.',
    wrap: () =>
      answerHeaders((fields) => ({
        ...fields,
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '0',
      })),
  },
  'json-type-with-charset': {
    about: 'JSON is labelled in mixed case and with a charset; its media type is the same.',
    group: 'content-type',
    wrap: () =>
      answerHeaders((fields) =>
        fields['content-type'] === 'application/json'
          ? { ...fields, 'content-type': 'Application/JSON; Charset=UTF-8' }
          : fields,
      ),
  },
  'reason-phrase-odd': {
    about: 'The reason phrase of every answer is "Fine"; clients must ignore it.',
    wrap: () =>
      beforeServing(({ response }) => {
        response.statusMessage = 'Fine'
      }),
  },
  'trailing-slash-same': {
    reported: true,
    about: 'A trailing slash makes no difference to a path; the contract says nothing about it.',
    group: 'trailing-slash',
    wrap: () =>
      beforeServing(({ request }) => {
        request.url = (request.url ?? '/').replace(/(.)\/(?=$|\?)/, '$1')
      }),
  },
  'trailing-slash-308': {
    reported: true,
    about: 'A path with a trailing slash is redirected; the contract says nothing about it.',
    group: 'trailing-slash',
    wrap: () => ({
      serve: (real) => (call) => {
        const path = (call.request.url ?? '/').replace(/\?.*/, '')
        if (!/.\/$/.test(path)) return real(call)
        call.response.writeHead(308, { location: path.slice(0, -1), 'content-length': 0 })
        return finish(call.response, '', call.left)
      },
    }),
  },
  'unknown-path-asks-for-key': {
    about: 'An unknown path without a key is answered with 401; the contract says nothing about it.',
    wrap: () => ({
      serve: (real) => (call) => {
        const isKnown = isAt(call, '/api/v1/models') || isAt(call, '/api/v1/chat/completions')
        if (isKnown || call.request.headers.authorization !== undefined) return real(call)
        call.response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer' })
        return finish(call.response, '{"error":{"message":"A key is required."}}', call.left)
      },
    }),
  },
  'body-413-over-3-mb': {
    reported: true,
    about: 'A body above 3 MB, far above every context window, is answered with 413; such a guard is sensible.',
    group: 'body-size',
    wrap: () => ({
      readBody: (real) => async (call) => {
        const bytes = await real(call)
        if (bytes.length > largeBytes) throw bodyTooLarge(largeBytes)
        return bytes
      },
    }),
  },
  'body-413-before-reading': {
    about:
      'A body that announces more than 3 MB gets 413 before it is read, and the connection closes; such a guard is sensible.',
    group: 'body-size',
    wrap: () => ({
      readBody: (real) => (call) => {
        if (Number(call.request.headers['content-length'] ?? 0) > largeBytes) throw bodyTooLarge(largeBytes)
        return real(call)
      },
    }),
  },
  'slow-key-check': {
    about: 'Every request waits 30 ms while its key is checked; the contract promises no speed.',
    wrap: () => beforeServing(() => sleep(30)),
  },
} as const satisfies Record<string, Variant>

function isAt({ request }: Call, path: string): boolean {
  return (request.url ?? '').split('?')[0] === path
}

/** Compresses whole bodies for clients that accept the coding. */
function compressingBodies(name: string, compress: (body: string) => Buffer): Wrap {
  return {
    sendBody: (real) => (head, body, call) => {
      if (body === '' || !offers(call, name)) return real(head, body, call)
      const bytes = compress(body)
      const fields = { ...head.headers, 'content-encoding': name, vary: 'Accept-Encoding' }
      call.response.writeHead(head.status, { ...fields, 'content-length': bytes.length })
      call.response.write(bytes)
      return finish(call.response, '', call.left)
    },
  }
}

/** Answers as HTTP/1.0: changes the version in every head that is written. */
function speakVersion10({ request, response }: Call): void {
  const { socket } = request
  const write = socket.write.bind(socket)
  response.shouldKeepAlive = false
  response.useChunkedEncodingByDefault = false
  // The version says that the connection ends, so no header has to.
  response.removeHeader('connection')
  Object.assign(socket, {
    write: (part: string | Uint8Array, ...rest: []) =>
      write(typeof part === 'string' ? part.replace(/^HTTP\/1\.1 /, 'HTTP/1.0 ') : part, ...rest),
  })
}
