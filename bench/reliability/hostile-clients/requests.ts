import type { Draw } from '../draw.ts'
import { type Gateway, type Input, type Kind, requestOf, type Surface } from './input.ts'
import { mangled, oddText } from './odd-values.ts'

const surfaces: readonly Surface[] = ['api', 'control', 'dashboard', 'metrics']

/** What is wrong with a request before its body is read, at each of the gateway's servers. */
export const requestKinds: readonly Kind[] = [
  part('an odd request line', 6, (draw, honest) => {
    const rest = honest.slice(honest.indexOf('\r\n'))
    return `${draw.pick(methods)}${draw.pick([' ', ' ', ' ', '\t', '  ', ''])}${draw.pick(targets)} ${draw.pick(versions)}${rest}`
  }),
  part('odd header lines', 6, (draw, honest) => {
    const lines = Array.from({ length: draw.between(1, 3) }, () => draw.pick(headerLines))
    return honest.replace('\r\n', `\r\n${lines.join('\r\n')}\r\n`)
  }),
  part('a flood of headers', 1, (draw, honest) => {
    const [count, length] = draw.pick([
      [100, 10],
      [1900, 1],
      [5000, 10],
      [1, 15_000],
      [1, 100_000],
    ])
    const lines = Array.from({ length: count }, (_, at) => `X-${at}: ${'y'.repeat(length)}\r\n`)
    return honest.replace('\r\n', `\r\n${lines.join('')}`)
  }),
  part('bytes of a request changed', 8, (draw, honest) => mangled(draw, Buffer.from(honest, 'latin1'))),
  part('no HTTP at all', 2, (draw) =>
    Buffer.from(Array.from({ length: draw.between(1, 300) }, () => draw.between(0, 255))),
  ),
  part('requests one after the other at once', 2, (draw, honest) =>
    Array.from({ length: draw.between(2, 6) }, () =>
      draw.pick([honest, `${draw.pick(['POST', 'PUT', 'G\0T'])} / HTTP/1.1\r\n\r\n`]),
    ).join(''),
  ),
  {
    about: 'a request smuggled in another',
    share: 4,
    make(draw, gateway) {
      const hidden = `GET /api/v1/models HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${gateway.key}\r\n\r\n`
      const frame = draw.pick(ambiguous)(hidden)
      return {
        surface: 'api',
        isRequest: false,
        isForbidden: true,
        bytes: Buffer.from(`POST /api/v1/chat/completions HTTP/1.1\r\nHost: gateway\r\n${frame}`),
      }
    },
  },
]

const methods = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PRI',
  'get',
  'M-SEARCH',
  'G\0T',
  '',
]
const targets = [
  '/',
  '//',
  '//[',
  '/api/v1/models',
  '/api/v1/models/',
  '/api/v1//models',
  '/api/v1/models?a=%zz&%00',
  '/api/v1/%6dodels',
  '/api/v1/../../etc/passwd',
  '/control/v1/health',
  '/control/v1/accounts/%zz',
  '/control/v1/accounts/%00/entries?after=-1&limit=1e9',
  '/control/v1//accounts',
  '/dashboard/',
  '/dashboard//',
  '/dashboard/%zz',
  '/dashboard/assets/..%2f..%2fpackage.json',
  '/dashboard/keys?from=99999999999999999999',
  '/metrics?x=[',
  'http://gateway/api/v1/models',
  'http://[/',
  'http://elsewhere:99999/',
  '*',
  'gateway:443',
  `/${'a'.repeat(20_000)}`,
  '/\u00ff\u0001',
  '',
]
const versions = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.10', 'http/1.1', 'HTTP/1.1 ', '']
const headerLines = [
  'Authorization: Bearer',
  'Authorization: Bearer  ',
  'Authorization: Basic YTpi',
  'Authorization: \0',
  'Host: elsewhere',
  'Host:',
  'Content-Length: -1',
  'Content-Length: 1e3',
  'Content-Length: 18446744073709551616',
  'Transfer-Encoding: gzip',
  'Expect: 100-continue',
  'Expect: much',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Connection: close, keep-alive',
  'Cookie: assay_session=; _csrf=%zz; a="; ;=',
  'Cookie: assay_new_key=%7B%22name%22%3A1%7D',
  'Cookie: assay_session=__proto__',
  'X-Forwarded-For: ::1, \'"<>, 999.1.1.1',
  'X-Forwarded-Proto: javascript',
  'Content-Type: \u00ff/\u00ff',
  ': no name',
  'No colon',
  ' folded',
  'Bad Name: a',
  'Accept-Encoding: gzip;q=x',
  'Range: bytes=0-18446744073709551615',
  'If-None-Match: *',
]

/** Two readings of where a request ends: behind it stands another one. */
const ambiguous: readonly ((hidden: string) => string)[] = [
  (hidden) => `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding: chunked\r\nContent-Length: ${hidden.length + 5}\r\n\r\n0\r\n\r\n${hidden}`,
  (hidden) => `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  (hidden) => `Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
  (hidden) => `Content-Length: +${hidden.length}\r\n\r\n${hidden}`,
  (hidden) => `Content-Length : ${hidden.length}\r\n\r\n${hidden}`,
  (hidden) => `Content-Length: 0x0\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n${hidden}`,
  (hidden) => `Transfer-Encoding: chunked\r\n\r\n00000000000000000\n\n${hidden}`,
  (hidden) => `Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${hidden}`,
  (hidden) => `X: a\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  (hidden) => `X: a\rContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
]

/** A request of somebody who may, for each server, changed by `change`. */
function part(about: string, share: number, change: (draw: Draw, honest: string) => string | Buffer): Kind {
  return {
    about,
    share,
    make(draw, gateway): Input {
      const surface = draw.pick(surfaces)
      const changed = change(draw, honestAt(surface, draw, gateway))
      return { surface, isRequest: false, bytes: Buffer.isBuffer(changed) ? changed : Buffer.from(changed, 'latin1') }
    },
  }
}

function honestAt(surface: Surface, draw: Draw, { key, controlToken, owner, accountId }: Gateway): string {
  const body = JSON.stringify({ name: oddText(draw) })
  const [target, header] = {
    api: ['/api/v1/models', `Authorization: Bearer ${key}`],
    control: [`/control/v1/accounts/${accountId}`, `Authorization: Bearer ${controlToken}`],
    dashboard: ['/dashboard/usage', `Cookie: ${owner.cookie}`],
    metrics: ['/ready', 'Accept: */*'],
  }[surface]
  const [name = '', value = ''] = (header ?? '').split(': ')
  return requestOf('GET', target ?? '/', { [name]: value }, draw.pick(['', body])).toString('latin1')
}
