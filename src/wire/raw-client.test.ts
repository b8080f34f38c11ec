import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { converse } from './raw-client.ts'

vi.mock(import('node:timers/promises'), async (original) => {
  const timers = await original()
  const early = (ms = 0, ...rest: unknown[]) => timers.setTimeout(Math.max(0, ms - 20), ...rest)
  return { ...timers, setTimeout: early as typeof timers.setTimeout }
})

test.each([
  ['sends bytes without end is left', 10_000, endless, 'left'],
  ['is never silent for long and never done is given up', 200, trickle, 'timeout'],
])('a server that %s', async (_, silenceMsMax, answer, ending) => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    answer(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const conversation = await converse({
    url: `http://127.0.0.1:${port}`,
    steps: ['GET / HTTP/1.1\r\n\r\n'],
    silenceMsMax,
    insecure: false,
    enough: () => false,
  })
  expect(conversation.ending).toBe(ending)
  expect(conversation.arrivals.length).toBeGreaterThan(1)
})

function endless(socket: Socket): void {
  const bytes = Buffer.alloc(64 * 1024, 'x')
  const source = new Readable({ read: () => void source.push(bytes) })
  source.pipe(socket)
}

function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), 1)
  socket.on('close', () => clearInterval(timer))
}

test.each<[string, string, (socket: Socket) => void]>([
  ['closed', 'ends its side and reads on', (socket) => socket.end()],
  ['reset', 'closes both sides', (socket) => socket.destroy()],
  ['reset', 'resets the connection', (socket) => socket.resetAndDestroy()],
  ['timeout', 'never ends', () => {}],
])('a conversation that waits for the end is %s with a server that %s', async (ending, _, end) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy()).resume()
    socket.write('x', () => setTimeout(() => end(socket), 20))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const late = ['late', { pauseMs: 30 }]
  const conversation = await converse({
    url: `http://127.0.0.1:${port}`,
    steps: ['first', { awaitEndMs: 200 }, ...late, ...late],
    silenceMsMax: 100,
    insecure: false,
    enough: () => false,
  })
  expect([conversation.ending, conversation.endedAtMs !== undefined]).toEqual([ending, ending !== 'timeout'])
})

test('a pause is never shorter than asked for, although timers end early', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.end('answer'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { arrivals } = await converse({
    url: `http://127.0.0.1:${port}`,
    steps: [{ pauseMs: 50 }, 'GET / HTTP/1.1\r\n\r\n'],
    silenceMsMax: 10_000,
    insecure: false,
    enough: (received) => received.length > 0,
  })
  expect(arrivals[0]?.atMs).toBeGreaterThanOrEqual(50)
})
