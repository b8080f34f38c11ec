import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { configFor } from '../../../suites/0-self/config.ts'
import { HarnessError } from '../../harness-error.ts'
import { untrusted } from '../../wire/test-certificate.ts'
import type { TargetConfig } from '../config.ts'
import { prepare } from '../prepare.ts'
import { createTarget } from '../target.ts'

const closing: Server[] = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const server of closing.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function portOf(server: Server): Promise<number> {
  closing.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port
}

async function refusalAt(baseUrl: string, own: Partial<TargetConfig> = {}): Promise<HarnessError> {
  const target = createTarget(configFor(baseUrl, own))
  try {
    await prepare(target)
  } catch (error) {
    if (error instanceof HarnessError) return error
    throw error
  } finally {
    await target.close()
  }
  throw new Error('it was prepared to judge')
}

test('an https address of a plain port is answered with the http address, in one line', async () => {
  const port = await portOf(createPlainServer((_, response) => response.end('hello')))
  const { code, exitCode, message } = await refusalAt(`https://127.0.0.1:${port}`)
  expect({ code, exitCode }).toEqual({ code: 'wrong-scheme', exitCode: 3 })
  expect(message).toBe(
    `127.0.0.1:${port} speaks plain HTTP: use http://127.0.0.1:${port} instead of https://127.0.0.1:${port}.`,
  )
})

test('an http address of a TLS port is answered with the https address', async () => {
  const port = await portOf(createTlsServer(untrusted, (_, response) => response.end('hello')))
  const { message } = await refusalAt(`http://127.0.0.1:${port}`)
  expect(message).toBe(
    `127.0.0.1:${port} speaks TLS: use https://127.0.0.1:${port} instead of http://127.0.0.1:${port}.`,
  )
})

test('a certificate that is not trusted is named, with the option that accepts it', async () => {
  const port = await portOf(createTlsServer(untrusted, (_, response) => response.end('hello')))
  const { code, message } = await refusalAt(`https://127.0.0.1:${port}`)
  expect(code).toBe('certificate')
  expect(message).toMatch(/has a certificate that is not trusted: .*\nPass --insecure/)
  expect(await refusalAt(`https://127.0.0.1:${port}`, { insecure: true })).toMatchObject({ code: 'not-a-gateway' })
})

test('a port where nothing listens is called that', async () => {
  const server = createPlainServer()
  const port = await portOf(server)
  await new Promise((closed) => server.close(closed))
  for (const scheme of ['http', 'https'])
    expect((await refusalAt(`${scheme}://127.0.0.1:${port}`)).message).toContain(
      `Nothing answers at ${scheme}://127.0.0.1:${port} (ECONNREFUSED`,
    )
})

test('a proxy where nothing listens is called that, without its password', async () => {
  const server = createPlainServer()
  const port = await portOf(server)
  await new Promise((closed) => server.close(closed))
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'NO_PROXY']) vi.stubEnv(name, undefined)
  for (const [variable, baseUrl] of [
    ['HTTPS_PROXY', 'https://gateway.example'],
    ['HTTP_PROXY', 'http://gateway.example'],
  ] as const) {
    vi.stubEnv(variable, `http://user:pass-word@127.0.0.1:${port}`)
    const { code, exitCode, message } = await refusalAt(baseUrl)
    expect({ code, exitCode }).toEqual({ code: 'target-unreachable', exitCode: 3 })
    expect(message).toContain(`The proxy of ${variable}, http://127.0.0.1:${port}, does not answer (ECONNREFUSED`)
    expect(message).toContain(`\nCorrect ${variable}, or add the host of the gateway to NO_PROXY.`)
    expect(message).not.toContain('pass-word')
  }
})

test.each([
  ['target-silent', 'takes connections and sends nothing (silent for 200 ms).', () => {}],
  [
    'target-closes',
    'closes connections without an answer (',
    (socket: Socket) => socket.once('data', () => socket.end()),
  ],
  [
    'target-closes',
    'closes connections without an answer (ECONNRESET',
    (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
  ],
])('a server that is there: %s, it %s', async (expected, words, meet) => {
  const sockets: Socket[] = []
  const server = createSocketServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    meet(socket)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, exitCode, message } = await refusalAt(baseUrl, { timeoutMs: 200 })
  for (const socket of sockets) socket.destroy()
  server.close()
  expect({ code, exitCode }).toEqual({ code: expected, exitCode: 3 })
  expect(message).toContain(`${baseUrl} ${words}`)
  expect(message).not.toContain('Start the gateway')
})
