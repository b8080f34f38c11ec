import { describe, expect, test } from 'vitest'
import { parseRawMessages } from './raw-message.ts'

const parse = (text: string) => parseRawMessages(Buffer.from(text, 'latin1'))

describe('raw messages', () => {
  test('are cut by their own framing', () => {
    const messages = parse(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
    )
    expect(messages.map(({ status, body, whole, framing }) => [status, body.toString(), whole, framing])).toEqual([
      [200, 'ok', true, 'length'],
      [404, 'abc', true, 'chunked'],
      [204, '', true, 'none'],
    ])
  })

  test('tell which version of HTTP the server speaks', () => {
    const versions = parse('HTTP/1.1 204 No Content\r\n\r\nHTTP/1.0 204 No Content\r\n\r\n').map(
      ({ version }) => version,
    )
    expect(versions).toEqual(['1.1', '1.0'])
  })

  test('interim answers are passed over', () => {
    expect(
      parse('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n').map(({ status }) => status),
    ).toEqual([200])
  })

  test.each([
    ['a body that is short', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', 'length'],
    ['chunks without an end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n', 'chunked'],
    ['a body that the close ends', 'HTTP/1.1 200 OK\r\n\r\nok', 'close'],
  ])('%s is not whole', (_, text, framing) => {
    expect(parse(text)).toMatchObject([{ whole: false, framing }])
  })

  test('two framings are seen', () => {
    expect(
      parse('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')[0]?.framing,
    ).toBe('both')
  })

  test('bytes that are not an answer give none', () => {
    expect(parse('hello')).toEqual([])
    expect(parse('SSH-2.0\r\n\r\n')).toEqual([])
  })
})
