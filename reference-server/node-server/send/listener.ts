import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onOwnPort } from './own-port.ts'

/** Longer than the pools of common clients keep a connection, so that the client is the one to close it. */
const KEEP_ALIVE_MS = 72_000

/** An HTTP server whose socket can close and open again on its port, while its connections live on. */
export interface NodeListener {
  readonly host: string
  readonly port: number
  readonly isOpen: boolean
  open(): Promise<void>
  /** Takes no more connections and ends the idle ones. Those with a request under way go on. */
  shut(): void
  /** Ends everything. */
  destroy(): void
}

/** Listens at once. Port 0 takes a free one, and keeps it from then on. */
export async function nodeListener(host: string, port: number, serve: RequestListener): Promise<NodeListener> {
  const sockets = new Set<Socket>()
  let server = await listen(host, port, serve, sockets)
  const taken = (server.address() as AddressInfo).port
  return {
    host,
    port: taken,
    get isOpen() {
      return server.listening
    },
    async open() {
      if (!server.listening) server = await onOwnPort(() => listen(host, taken, serve, sockets))
    },
    shut() {
      if (server.listening) server.close()
    },
    destroy() {
      if (server.listening) server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function listen(host: string, port: number, serve: RequestListener, sockets: Set<Socket>): Promise<Server> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, serve)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    else socket.destroy()
  })
  server.listen(port, host, 4096)
  await once(server, 'listening')
  return server
}

/** The address as a URL without a path. */
export function urlOf({ host, port }: Pick<NodeListener, 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
