import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../../src/run/embedded.ts'
import { execute } from '../../../src/run/execute.ts'
import { checks } from '../../index.ts'
import { configFor } from '../config.ts'

/** Serves a connection as HTTP/1.0 does: one request, with a length or no body, no interim answer, no chunks. */
async function serveOnce(socket: Socket, gatewayUrl: string): Promise<void> {
  let received = Buffer.alloc(0)
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, bytes])
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd === -1) continue
    const [requestLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
    const [method = '', path = ''] = requestLine.split(' ')
    const headerOf = (name: string) => lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.split(/: */)[1]
    const length = Number(headerOf('content-length') ?? 0)
    const body = received.subarray(headEnd + 4)
    if (body.length < length) continue
    if (!path.startsWith('/api/v1/')) {
      socket.end('HTTP/1.0 404 Not Found\r\nContent-Type: text/html\r\n\r\n<!doctype html><h1>Not Found</h1>\n')
      return
    }
    const key = headerOf('authorization')
    const answer = await request(`${gatewayUrl}${path}`, {
      method: method as 'GET',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: key }) },
      body: method === 'GET' ? null : body.subarray(0, length),
    })
    const type = String(answer.headers['content-type'])
    socket.write(`HTTP/1.0 ${answer.statusCode} Some Reason\r\nContent-Type: ${type}\r\n\r\n`)
    await pipeline(answer.body, socket)
    return
  }
}

test('an HTTP/1.0 server with pages at other paths fails no check', async () => {
  const embedded = await startEmbedded({ seed: 1, withNodes: false })
  const gatewayUrl = embedded.known.baseUrl
  const server = createServer((socket) => {
    // A client may leave at any time.
    serveOnce(socket, gatewayUrl).catch(() => socket.destroy())
    socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    await embedded.close()
  })
  const { port } = server.address() as AddressInfo
  const { keys } = embedded.known
  const config = configFor(`http://127.0.0.1:${port}`, { keys })
  const { results } = await execute({
    config,
    selected: checks.map(({ id }) => id),
    randomness: { seed: 1, runs: 5 },
    keepAll: false,
  })
  const verdicts = new Map(results.map(({ id, verdict }) => [id, verdict]))
  expect([...verdicts].filter(([, { kind }]) => kind === 'fail' || kind === 'error')).toEqual([])
  const kindOf = (id: string) => verdicts.get(id)?.kind
  expect(kindOf('http.errors-are-json')).toBe('pass')
  expect(kindOf('http.keep-alive-after-error')).toBe('pass')
  expect(kindOf('http.chunked-request')).toBe('not-applicable')
  expect(kindOf('http.expect-continue')).toBe('not-applicable')
})
