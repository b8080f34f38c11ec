import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningGateway, startGateway } from '../main.ts'

let gateway: RunningGateway
let served = 0
beforeAll(async () => {
  // Node keeps a connection for a second longer than announced.
  const wrap = {
    serve: (real: (call: never) => Promise<void>) => (call: never) => {
      served += 1
      return real(call)
    },
  }
  gateway = await startGateway({ demo: true, keepAliveMs: 50, wraps: [wrap] })
})
afterAll(() => gateway.close())

const request = (): string =>
  `GET /api/v1/models HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${gateway.demo?.apiKey}\r\n\r\n`

/** A connection whose first request was answered, and the head of the answer. */
async function answered(): Promise<{ readonly socket: Socket; readonly head: string }> {
  const { hostname, port } = new URL(gateway.baseUrl)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true })
  socket.write(request())
  let head = ''
  while (!/"data":.*\]/.test(head)) head += String((await once(socket, 'data'))[0])
  return { socket, head }
}

test('a request that crosses the end of an idle connection finds it ended, not reset, and is not served', async () => {
  const { socket, head } = await answered()
  expect(head).toMatch(/^Keep-Alive: timeout=0\r$/im)
  await once(socket, 'end')
  const before = served
  const errors: Error[] = []
  socket.on('error', (error) => errors.push(error))
  for (let turn = 0; turn < 2; turn += 1) {
    socket.write(request())
    // The reset that a closed socket would answer comes in no time on this machine.
    await sleep(20)
  }
  socket.end()
  await once(socket, 'close')
  expect([errors, served - before]).toEqual([[], 0])
})

test('what has arrived when the time of an idle connection is up is served', async () => {
  const { socket } = await answered()
  const asked = request()
  // Its time is up while the event loop is held up: the next thing to run is its timer, with the request in the socket's buffer.
  await immediate()
  socket.write(asked)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)
  const [said] = await once(socket, 'data')
  expect(String(said)).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
})
