import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { judge, startReferenceGateway } from '../../../src/index.ts'

/** Serves one request after the other, and leaves the body of one with a wrong key to whatever reads the next one. */
async function serve(socket: Socket, origin: string, key: string): Promise<void> {
  let received = Buffer.alloc(0)
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, bytes])
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd === -1) break
      const [requestLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
      const headerOf = (name: string) =>
        lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.split(/: */)[1]
      const length = Number(headerOf('content-length') ?? 0)
      const [method = '', path = ''] = requestLine.split(' ')
      const isRequest = /^[A-Z]+ \/\S* HTTP\/1\.[01]$/.test(requestLine)
      if (!isRequest || headerOf('authorization') !== `Bearer ${key}`) {
        received = received.subarray(headEnd + 4)
        const status = isRequest ? '401 Unauthorized' : '400 Bad request syntax'
        socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n${isRequest ? '' : 'Connection: close\r\n'}\r\n`)
        if (!isRequest) socket.end()
        continue
      }
      if (received.length < headEnd + 4 + length) break
      const body = received.subarray(headEnd + 4, headEnd + 4 + length)
      received = received.subarray(headEnd + 4 + length)
      const answer = await request(`${origin}${path}`, {
        method: method as 'GET',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: method === 'GET' ? null : body,
      })
      const text = Buffer.from(await answer.body.arrayBuffer())
      const type = String(answer.headers['content-type'])
      socket.write(
        `HTTP/1.1 ${answer.statusCode} Reason\r\nContent-Type: ${type}\r\nContent-Length: ${text.length}\r\n\r\n`,
      )
      socket.write(text)
    }
  }
}

test('a server that leaves the body of a refused request on the connection is found', async () => {
  const gateway = await startReferenceGateway({ demo: true, simulated: true })
  const { origin } = new URL(gateway.baseUrl)
  const key = gateway.demo?.apiKey ?? ''
  const server = createServer((socket) => {
    // A client may leave at any time.
    serve(socket, origin, key).catch(() => socket.destroy())
    socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    await gateway.close()
  })
  const { port } = server.address() as AddressInfo
  const id = 'http.keep-alive-after-error'
  const { results } = await judge({
    'base-url': `http://127.0.0.1:${port}`,
    'api-key': key,
    model: 'small',
    only: [id],
  })
  expect(results.find((result) => result.id === id)?.verdict).toMatchObject({
    kind: 'fail',
    what: 'status of the good request after one with an unknown key',
  })
})
