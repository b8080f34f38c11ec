import type { Kind } from './behaviour.ts'
import { headOf } from './honest-answer.ts'
import type { Answering } from './server.ts'

const wrongHeads = [
  ['a length that is too great', 'HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n'],
  ['a length that is too small', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n'],
  ['a length of 10^18', 'HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000000\r\n\r\n'],
  ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
  ['a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: much\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n'],
  ['a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['an unknown transfer coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\n'],
  ['a chunk of 2^64 bytes', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n'],
  ['a chunk size that is no number', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n'],
  ['HTTP/0.9', ''],
  ['HTTP/9.9', 'HTTP/9.9 200 OK\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['status 000', 'HTTP/1.1 000 Nothing\r\n\r\n'],
  ['status 999', 'HTTP/1.1 999 Much\r\n\r\n'],
  ['a status of ten digits', 'HTTP/1.1 2000000000 OK\r\n\r\n'],
  ['no reason phrase', 'HTTP/1.1 200\r\n\r\n'],
  ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n'],
  ['a folded header', 'HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\n\r\n'],
  ['a header without a name', 'HTTP/1.1 200 OK\r\n: b\r\n\r\n'],
  ['a NUL in a header', 'HTTP/1.1 200 OK\r\nX-A: b\0c\r\n\r\n'],
  ['a Date of 1970', 'HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n'],
  ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
  ['204 with a body', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['another charset', 'HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-16\r\n\r\n'],
  [
    'three answers at once',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n',
  ],
] as const

/** Answers that are not HTTP as it should be, or not what a client expects of a gateway. */
export const wrongKinds: readonly Kind[] = [
  {
    about: 'another answer each time',
    make: (draw) => {
      const statuses = Array.from({ length: 7 }, () => draw.pick([200, 204, 304, 401, 402, 404, 429, 500, 503]))
      return {
        how: statuses.join(' '),
        async spoil(answering) {
          const status = statuses[answering.index % statuses.length] ?? 200
          await answering.write(headOf(answering.honest.surface, '', status))
          answering.end()
        },
      }
    },
  },
  {
    about: 'a refusal that asks to wait',
    make: (draw) => {
      const seconds = draw.pick([
        '0',
        '3',
        '86400',
        '-5',
        '1e9',
        'Fri, 31 Dec 9999 23:59:59 GMT',
        'soon',
        '9'.repeat(18),
      ])
      const status = draw.pick([429, 503])
      return {
        how: `${status}, ${seconds}`,
        async spoil(answering) {
          await answering.write(headOf(answering.honest.surface, `Retry-After: ${seconds}\r\n`, status))
          answering.end()
        },
      }
    },
  },
  redirect('a redirect to another origin', ({ elsewhere }) => `${elsewhere}/api/v1/chat/completions`),
  redirect('a redirect to where it comes from', () => '/api/v1/models'),
  ...wrongHeads.map(
    ([about, head]): Kind => ({
      about,
      make: () => ({
        async spoil(answering) {
          await answering.write(head)
          await answering.write(bodyOf(answering))
          answering.end()
        },
      }),
    }),
  ),
  {
    about: 'random bytes for an answer',
    make: (draw) => {
      const bytes = Buffer.from(Array.from({ length: draw.between(1, 2000) }, () => draw.between(0, 255)))
      return {
        how: `${bytes.length} of them`,
        async spoil(answering) {
          await answering.write(bytes)
          answering.end()
        },
      }
    },
  },
  {
    about: 'an answer with some bytes changed',
    make: (draw) => {
      const changes = Array.from(
        { length: draw.between(1, 8) },
        () => [draw.between(0, 500), draw.between(0, 255)] as const,
      )
      return {
        how: changes.map(([at, byte]) => `${at}=${byte}`).join(' '),
        async spoil(answering) {
          const bytes = Buffer.from(answering.honest.bytes)
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte
          await answering.write(bytes)
        },
      }
    },
  },
  {
    about: 'a certificate that nobody trusts',
    isTls: true,
    make: () => ({ spoil: (answering) => answering.write(answering.honest.bytes) }),
  },
]

function redirect(about: string, locationOf: (answering: Answering) => string): Kind {
  return {
    about,
    make: (draw) => {
      const status = draw.pick([301, 302, 303, 307, 308])
      return {
        how: String(status),
        async spoil(answering) {
          const { surface } = answering.honest
          await answering.write(headOf(surface, `Location: ${locationOf(answering)}\r\n`, status))
          answering.end()
        },
      }
    },
  }
}

function bodyOf({ honest: { bytes } }: Answering): Buffer {
  return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
}
