import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ResponseParser } from './response-parser.ts'

/** What a parser tells of bytes that come in these pieces. */
function told(pieces: readonly Uint8Array[], closes = false): string[] {
  const said: string[] = []
  let body = ''
  const parser: ResponseParser = new ResponseParser({
    head: (status, type) => said.push(`${status} ${type}`),
    body: (bytes, from, to) => {
      body += Buffer.from(bytes.subarray(from, to)).toString('latin1')
    },
    end(reusable) {
      said.push(body, reusable ? 'kept' : 'closed')
      body = ''
      parser.reset()
    },
    broken: (reason) => said.push(`broken: ${reason}`),
  })
  for (const piece of pieces) parser.execute(piece)
  if (closes) said.push(parser.closed() ? 'ended by closing' : 'cut')
  return said
}

const chunked =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=1\r\n world\r\n0\r\nTrailer: x\r\n\r\n'
const lengthy = 'HTTP/1.1 404 Not Found\r\nContent-Type: a/b\r\nContent-Length: 3\r\n\r\nabc'
const interim = 'HTTP/1.1 100 Continue\r\n\r\n'

test('however the bytes are cut, what is told is the same', () => {
  const all = Buffer.from(interim + chunked + lengthy + chunked)
  const whole = told([all])
  expect(whole).toEqual([
    '200 text/event-stream',
    'hello world',
    'kept',
    '404 a/b',
    'abc',
    'kept',
    '200 text/event-stream',
    'hello world',
    'kept',
  ])
  fc.assert(
    fc.property(fc.array(fc.nat(all.length), { maxLength: 40 }), (cuts) => {
      const places = [0, ...cuts.sort((one, other) => one - other), all.length]
      expect(told(places.slice(1).map((to, at) => all.subarray(places[at], to)))).toEqual(whole)
    }),
  )
})

test('a body without a length ends with the connection', () => {
  expect(told([Buffer.from('HTTP/1.1 200 OK\r\n\r\nabc')], true)).toEqual(['200 ', 'abc', 'closed', 'ended by closing'])
})

test('a body with a length is cut by an early end', () => {
  expect(told([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')], true)).toEqual(['200 ', 'cut'])
})

test('the connection is not kept when either side says so', () => {
  expect(told([Buffer.from('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na')])).toContain('closed')
  expect(told([Buffer.from('HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na')])).toContain('closed')
})

test.each([
  ['SSH-2.0-OpenSSH', 'no HTTP/1.1 status line'],
  ['HTTP/1.1 2x0 OK\r\n\r\n', 'no HTTP/1.1 status line'],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'a chunk size that is not a hexadecimal number'],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n', 'a chunk that is longer than its size'],
  ['HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', 'a content-length that is not a number'],
])('%j is no response', (bytes, reason) => {
  expect(told([Buffer.from(bytes)]).at(-1)).toBe(`broken: ${reason}`)
})
