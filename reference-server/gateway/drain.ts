import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { shuttingDown } from './gateway-error.ts'

/** The end of a server in good order: new requests are refused, those under way may end. Then it is over, or begins anew. */
export interface Drain {
  /** Whether the end is near: a balancer sends its requests elsewhere from now on. */
  readonly isDraining: boolean
  /** How many requests are under way. */
  readonly underWay: number
  /** Has to see the server from its start. */
  watch(server: Server): void
  /** Refuses a request of a server that is ending, and returns whether it did. */
  refuses(request: IncomingMessage, response: ServerResponse): boolean
  /**
   * A request is under way until this work is over and its answer is closed, in either order. Returns what to call when the answer
   * is closed.
   */
  note(response: ServerResponse, work: Promise<unknown>): () => void
  /**
   * Serves on for `noticeMs`, on connections that end with their answers. Then it refuses, except the one request that may follow
   * an answer which began before the notice, and resolves once no request is under way and connections without one are closed;
   * when the time is up or the signal aborts, it resolves all the same.
   */
  run(withinMs: number, signal?: AbortSignal, noticeMs?: number): Promise<void>
  /** Refuses until no request is under way, cuts off those that take longer, and serves again. */
  restart(withinMs: number): Promise<void>
}

/** A client that was about to send on an idle connection still gets its 503 in this time. */
const lingerMs = 250
/** For clients to close connections that we have ended. */
const closingMs = 1000

export function createDrain(): Drain {
  const { sockets, underWay, watch, note, until } = watchWork()
  /** Connections that end with their next answer, because the notice came in the middle of one that did not say so. */
  const unannounced = new WeakSet<Socket>()
  let state: 'serving' | 'leaving' | 'refusing' = 'serving'
  let isEnding = false
  let restarting: Promise<void> | undefined
  const allClosed = (): boolean => sockets.size === 0

  /** Where the head is not yet sent, it tells the client that the connection ends. */
  function announce(): void {
    for (const response of underWay) if (!response.headersSent) response.shouldKeepAlive = false
  }
  async function idle(withinMs: number, signal?: AbortSignal): Promise<void> {
    state = 'refusing'
    announce()
    await until(() => underWay.size === 0, withinMs, signal)
  }
  /** Connections without a request stay: one may be on its way, and will be served. */
  async function beginAnew(withinMs: number): Promise<void> {
    await idle(withinMs)
    for (const response of underWay) response.destroy()
    if (!isEnding) state = 'serving'
  }

  return {
    get isDraining() {
      return state !== 'serving'
    },
    get underWay() {
      return underWay.size
    },
    watch,
    note,
    refuses(request, response) {
      if (state === 'serving') return false
      response.shouldKeepAlive = false
      if (unannounced.delete(request.socket) || state === 'leaving') return false
      // Bytes that nobody reads would turn the end of the connection into a reset, which may overtake the answer.
      request.resume().once('end', () => refuse(response))
      return true
    },
    async run(withinMs, signal, noticeMs = 0) {
      isEnding = true
      if (noticeMs > 0) {
        state = 'leaving'
        announce()
        for (const { headersSent, socket } of underWay) if (headersSent && socket !== null) unannounced.add(socket)
        await pause(noticeMs, signal)
      }
      const endMs = performance.now() + withinMs
      await idle(withinMs, signal)
      await until(allClosed, lingerMs, signal)
      // What came meanwhile on a connection that was owed an answer.
      await idle(Math.max(0, endMs - performance.now()), signal)
      for (const socket of sockets) socket.end()
      await until(allClosed, closingMs, signal)
    },
    restart(withinMs) {
      restarting ??= beginAnew(withinMs).finally(() => {
        restarting = undefined
      })
      return restarting
    },
  }
}

/** The connections and requests of a server, and when they are over. */
function watchWork() {
  const sockets = new Set<Socket>()
  const underWay = new Set<ServerResponse>()
  /** Called when a request or a connection is over; several may wait at once. */
  const looks = new Set<() => void>()
  const lookAll = (): void => {
    for (const look of looks) look()
  }

  return {
    sockets,
    underWay,
    watch(server: Server): void {
      server.on('connection', (socket) => {
        sockets.add(socket)
        socket.once('close', () => {
          sockets.delete(socket)
          lookAll()
        })
      })
    },
    note(response: ServerResponse, work: Promise<unknown>): () => void {
      underWay.add(response)
      // The answer may be out before the books are written, and the other way round.
      let open = 2
      const over = (): void => {
        open -= 1
        if (open > 0) return
        underWay.delete(response)
        lookAll()
      }
      work.then(over, over)
      return over
    },
    async until(holds: () => boolean, withinMs: number, signal?: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = (): void => {
        if (holds()) resolve()
      }
      looks.add(look)
      look()
      await Promise.race([promise, pause(withinMs, signal)])
      looks.delete(look)
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
    })
    .end(body)
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { ref: false, ...(signal !== undefined && { signal }) }).catch(() => undefined)
}
