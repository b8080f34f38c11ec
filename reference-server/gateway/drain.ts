import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { shuttingDown } from './gateway-error.ts'

/** The end of a server in good order: new requests are refused, those under way may end. */
export interface Drain {
  readonly isDraining: boolean
  /** How many requests are under way. */
  readonly underWay: number
  /** Has to see the server from its start. */
  watch(server: Server): void
  /** Refuses a request of a server that is ending, and returns whether it did. */
  refuses(request: IncomingMessage, response: ServerResponse): boolean
  /** A request is under way until this work is over. */
  note(response: ServerResponse, work: Promise<unknown>): void
  /**
   * Begins to refuse, and resolves once no request is under way and connections without one are closed; when the time is up
   * or the signal aborts, it resolves all the same.
   */
  run(withinMs: number, signal?: AbortSignal): Promise<void>
}

/** A client that was about to send on an idle connection still gets its 503 in this time. */
const lingerMs = 250
/** For clients to close connections that we have ended. */
const closingMs = 1000

export function createDrain(): Drain {
  const sockets = new Set<Socket>()
  const underWay = new Set<ServerResponse>()
  const idle = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  let isDraining = false

  function settle(): void {
    if (isDraining && underWay.size === 0) idle.resolve()
    if (isDraining && sockets.size === 0) closed.resolve()
  }

  return {
    get isDraining() {
      return isDraining
    },
    get underWay() {
      return underWay.size
    },
    watch(server) {
      server.on('connection', (socket) => {
        sockets.add(socket)
        socket.once('close', () => {
          sockets.delete(socket)
          settle()
        })
      })
    },
    refuses(request, response) {
      if (!isDraining) return false
      // Bytes that nobody reads would turn the end of the connection into a reset, which may overtake the answer.
      request.resume().once('end', () => refuse(response))
      return true
    },
    note(response, work) {
      underWay.add(response)
      // The answer may be out before the books are written, and the other way round.
      let open = 2
      const over = (): void => {
        open -= 1
        if (open > 0) return
        underWay.delete(response)
        settle()
      }
      response.once('close', over)
      work.then(over, over)
    },
    async run(withinMs, signal) {
      isDraining = true
      // Where the head is not yet sent, it tells the client that the connection ends.
      for (const response of underWay) if (!response.headersSent) response.shouldKeepAlive = false
      settle()
      await Promise.race([idle.promise, pause(withinMs, signal)])
      await Promise.race([closed.promise, pause(lingerMs, signal)])
      for (const socket of sockets) socket.end()
      await Promise.race([closed.promise, pause(closingMs, signal)])
    },
  }
}

function refuse(response: ServerResponse): void {
  const error = shuttingDown()
  const body = JSON.stringify(error.body())
  response
    .writeHead(error.status, {
      ...error.headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    .end(body)
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { ref: false, ...(signal !== undefined && { signal }) }).catch(() => undefined)
}
