import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { untrusted } from '../../wire/test-certificate.ts'
import { startByteServer } from '../test-tools.ts'
import { connector } from './connection.ts'
import { proxyFor } from './proxy.ts'

const at = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)

describe('the proxy of an address', () => {
  test.each([
    ['https://gateway.example', { HTTPS_PROXY: 'http://proxy:3128' }, 'proxy:3128'],
    ['http://gateway.example', { http_proxy: 'http://[::1]:8080' }, '::1:8080'],
    ['http://gateway.example', { HTTPS_PROXY: 'http://proxy:3128' }, undefined],
    ['https://localhost:8443', { HTTPS_PROXY: 'http://proxy:3128' }, undefined],
    [
      'https://a.gateway.example',
      { HTTPS_PROXY: 'http://proxy', NO_PROXY: 'other.example, gateway.example' },
      undefined,
    ],
    ['https://a.gateway.example', { HTTPS_PROXY: 'http://proxy', NO_PROXY: '.gateway.example:8443' }, 'proxy:80'],
    ['https://gateway.example', { HTTPS_PROXY: 'http://proxy', no_proxy: '*' }, undefined],
  ])('of %s with %j is %s', (url, env, expected) => {
    const found = at(url, env as Record<string, string>)
    expect(found && `${found.host}:${found.port}`).toBe(expected)
  })

  test('gives the credentials of its address', () => {
    const found = at('https://gateway.example', { HTTPS_PROXY: 'http://user:p%40ss@proxy:3128' })
    expect(found?.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`)
  })
})

/** A proxy that keeps what it was asked for, and tunnels unless it is told to refuse. */
async function startProxy(refuses = false) {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer()
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim())
    if (refuses) return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const [host = '', port = ''] = url.split(':')
    const upstream = connect(Number(port), host, () => client.write('HTTP/1.1 200 Connection Established\r\n\r\n'))
    upstream.pipe(client).pipe(upstream)
    upstream.on('error', () => client.destroy())
    client.on('error', () => upstream.destroy())
    return client
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    proxy: { host: '127.0.0.1', port: address.port, authorization: 'Basic eDp5' },
    asked,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** What a connection told until its end, in order. */
function listenTo(open: ReturnType<typeof connector>) {
  const told: string[] = []
  const end = Promise.withResolvers<void>()
  const stream = open({
    connected: () => told.push('connected'),
    bytes: (bytes, length) => told.push(bytes.toString('latin1', 0, length)),
    ended: () => end.resolve(),
    failed(error) {
      told.push(error.message)
      end.resolve()
    },
  })
  return { stream, told, end: end.promise }
}

describe('a connection of a load', () => {
  test('goes through the tunnel of a proxy, and what was written early is not lost', async () => {
    const server = await startByteServer((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      return 'ok'
    })
    const { proxy, asked, close } = await startProxy()
    const { stream, told, end } = listenTo(connector(new URL(server.url), false, proxy))
    stream.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n')
    await end
    expect(told[0]).toBe('connected')
    expect(told.slice(1).join('')).toMatch(/\r\n\r\nok$/)
    expect(asked).toEqual([`${new URL(server.url).host} Basic eDp5`])
    await Promise.all([server.close(), close()])
  })

  test.each([
    ['refuses a certificate that nobody signed', false, undefined],
    ['accepts it where it is told to', true, undefined],
    ['speaks TLS inside a tunnel', true, 'through a proxy'],
  ])('%s', async (_, insecure, through) => {
    const server = createTlsServer(untrusted, (_request, response) => response.end('ok'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { proxy, asked, close } = await startProxy()
    const url = new URL(`https://127.0.0.1:${port}`)
    const { stream, told, end } = listenTo(connector(url, insecure, through === undefined ? undefined : proxy))
    stream.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    await end
    if (insecure) expect(told.join('')).toMatch(/^connectedHTTP\/1\.1 200 OK[\s\S]*\r\nok/)
    else expect(told.join()).toMatch(/^self-signed certificate/)
    expect(asked).toHaveLength(through === undefined ? 0 : 1)
    server.closeAllConnections()
    await Promise.all([new Promise((closed) => server.close(closed)), close()])
  })

  test('fails with the words of a proxy that refuses', async () => {
    const { proxy, close } = await startProxy(true)
    const { told, end } = listenTo(connector(new URL('https://gateway.example'), false, proxy))
    await end
    expect(told.join()).toContain('the proxy refused the tunnel (407)')
    await close()
  })
})
