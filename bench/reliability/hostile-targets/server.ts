import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { untrusted } from '../../../src/wire/test-certificate.ts'
import { type HonestAnswer, honestAnswer } from './honest-answer.ts'

/** One request on its socket, and what an honest gateway would write to it. */
export interface Answering {
  readonly honest: HonestAnswer
  /** How many requests came before this one. */
  readonly index: number
  /** The value of `Authorization`, to send it back. */
  readonly credentials: string
  /** Another origin, to send the client to. */
  readonly elsewhere: string
  /** Resolves when the client took the bytes; rejects once it is gone. */
  write(bytes: string | Uint8Array): Promise<void>
  pause(ms: number): Promise<void>
  /** Closes the connection in good order. */
  end(): void
  /** Cuts the connection. */
  reset(): void
  /** Cuts all connections and accepts no more. */
  die(): void
}

/** How much is written at once where there is much. */
export const pieceBytes = 64 * 1024

/** Writes whatever it likes in place of an honest answer. */
export type Spoiler = (answering: Answering) => Promise<void> | void

export interface HostileServer {
  readonly url: string
  /** What clients sent as `Authorization` to the other origin. */
  readonly credentialsElsewhere: readonly string[]
  close(): Promise<void>
}

/** A server that reads requests as it should and answers each as `spoil` says. */
export async function startHostileServer(spoil: Spoiler, isTls: boolean): Promise<HostileServer> {
  const credentialsElsewhere: string[] = []
  const trap = createServer((request, response) => {
    credentialsElsewhere.push(request.headers.authorization ?? 'none')
    response.end('{}')
  })
  const elsewhere = `http://127.0.0.1:${await listen(trap)}`
  const sockets = new Set<Socket>()
  const server = isTls ? createTlsServer(untrusted) : createServer()
  const die = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  let requests = 0
  const note = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  server.on('connection', note)
  server.on('secureConnection', note)
  server.on('request', async (request: IncomingMessage) => {
    const { socket } = request
    try {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      const { method = '', url = '', headers } = request
      const honest = honestAnswer(method, url, Buffer.concat(pieces).toString())
      const facts = { honest, index: requests, credentials: headers.authorization ?? '', elsewhere, die }
      requests += 1
      await spoil({ ...facts, ...writingTo(socket) })
    } catch {
      // The client left, which it may.
      socket.destroy()
    }
  })
  const port = await listen(server)
  return {
    url: `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`,
    credentialsElsewhere,
    async close() {
      die()
      trap.closeAllConnections()
      trap.close()
    },
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function writingTo(socket: Socket): Pick<Answering, 'write' | 'pause' | 'end' | 'reset'> {
  const refuseWhenGone = (): void => {
    if (socket.destroyed) throw new Error('the client is gone')
  }
  return {
    async write(bytes) {
      refuseWhenGone()
      if (socket.write(bytes)) return
      const { promise, resolve } = Promise.withResolvers<void>()
      socket.once('drain', resolve)
      socket.once('close', resolve)
      await promise
      socket.off('drain', resolve)
      socket.off('close', resolve)
      refuseWhenGone()
    },
    async pause(ms) {
      await sleep(ms)
      refuseWhenGone()
    },
    end: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
  }
}
