import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { drawFrom } from '../draw.ts'
import { type Gateway, requestOf } from './input.ts'
import { openLine } from './line.ts'

/** Many clients who are a nuisance together, and whether others are still served meanwhile. */
export interface Crowd {
  readonly about: string
  readonly size: number
  /** Resolves when the crowd has gone. */
  come(gateway: Gateway, size: number, seed: number): Promise<void>
}

export interface Served {
  readonly requests: number
  readonly failed: number
  readonly slowestMs: number
}

const chatTarget = '/api/v1/chat/completions'
const stayMs = 10_000

export const crowds: readonly Crowd[] = [
  staying('connections that say nothing', 10_000, () => {}),
  staying('heads that never end', 2000, (socket) => drip(socket, 'GET / HTTP/1.1\r\n', 'X: y\r\n')),
  staying('bodies that never end', 2000, (socket, { key }) =>
    drip(
      socket,
      requestOf('POST', chatTarget, { Authorization: `Bearer ${key}` }, ' '.repeat(9999)).subarray(0, 300),
      ' ',
    ),
  ),
  staying('streams that nobody reads', 500, (socket, gateway) => {
    socket.pause()
    socket.write(chatOf(gateway, { stream: true, max_tokens: 20_000 }))
  }),
  {
    about: 'requests given up at any moment',
    size: 20_000,
    async come(gateway, size, seed) {
      const draw = drawFrom(seed)
      const leave = async (): Promise<void> => {
        const socket = await opened(gateway)
        socket?.write(chatOf(gateway, { stream: draw.pick([true, false]), max_tokens: draw.pick([1, 100, 5000]) }))
        await sleep(draw.pick([0, 0, 1, 3, 10, 40]))
        if (draw.pick([true, false])) socket?.resetAndDestroy()
        else socket?.destroy()
      }
      const atOnce = 100
      for (let left = size; left > 0; left -= atOnce) await Promise.all(Array.from({ length: atOnce }, leave))
    },
  },
]

/** What somebody who asks for one short reply after the other gets until the crowd has gone. */
export async function servedDuring(gateway: Gateway, crowd: Promise<void>): Promise<Served> {
  const line = openLine(gateway.ports.api)
  let isOver = false
  const over = crowd.finally(() => {
    isOver = true
  })
  let [requests, failed, slowestMs] = [0, 0, 0]
  while (!isOver) {
    const start = performance.now()
    const { replies } = await line.send({ bytes: chatOf(gateway, { max_tokens: 5 }), isRequest: true })
    slowestMs = Math.max(slowestMs, performance.now() - start)
    requests += 1
    if (replies[0]?.status !== 200) failed += 1
    await sleep(5)
  }
  line.close()
  await over
  return { requests, failed, slowestMs }
}

function chatOf({ key }: Gateway, more: object): Buffer {
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }], ...more })
  return requestOf('POST', chatTarget, { Authorization: `Bearer ${key}` }, body)
}

async function opened({ ports }: Gateway): Promise<Socket | undefined> {
  const socket = connect(ports.api, '127.0.0.1').on('error', () => {})
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket.destroyed ? undefined : socket
}

/** Clients that come a hundred at a time, behave as they do for a while, and go. */
function staying(about: string, size: number, behave: (socket: Socket, gateway: Gateway) => void): Crowd {
  return {
    about,
    size,
    async come(gateway, count) {
      const sockets: Socket[] = []
      for (let left = count; left > 0; left -= 100) {
        const some = await Promise.all(Array.from({ length: Math.min(100, left) }, () => opened(gateway)))
        sockets.push(...some.filter((socket) => socket !== undefined))
      }
      for (const socket of sockets) behave(socket, gateway)
      await sleep(stayMs)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** A start, and then a little more each second. */
function drip(socket: Socket, start: string | Buffer, more: string): void {
  socket.write(start)
  const timer = setInterval(() => socket.write(more), 1000)
  socket.on('close', () => clearInterval(timer))
}
