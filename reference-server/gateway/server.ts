import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Drain } from './drain.ts'
import type { Seams } from './seams.ts'

const clientLeft = new DOMException('the client has left', 'AbortError')

/** Longer than the pools of common clients keep a connection, so that the client is the one to close it. */
const KEEP_ALIVE_MS = 72_000

/** A request that crosses the end of an idle connection finds it ended, not reset, in this time. */
const CROSSING_MS = 2000

/**
 * The gateway's HTTP server, not yet listening. Whatever clients do, it goes on. `aside` takes requests that are not for
 * the API, and returns whether it did.
 */
export function gatewayServer(
  seams: Seams,
  onBug: (error: unknown) => void,
  drain: Drain,
  aside?: (request: IncomingMessage, response: ServerResponse) => boolean,
  keepAliveTimeout: number = KEEP_ALIVE_MS,
): Server {
  const answers = new WeakMap<Duplex, ServerResponse>()
  let number = 0
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    // It crossed the end of the connection: nobody could read the answer.
    if (!request.socket.writable) return void request.resume()
    if (drain.refuses(request, response) || aside?.(request, response) === true) return
    number += 1
    answers.set(request.socket, response)
    const leaving = new AbortController()
    const served = seams.serve({ request, response, number, left: leaving.signal, tried: new Set() })
    const answered = served.catch((error: unknown) => {
      onBug(error)
      response.destroy()
    })
    const close = drain.note(response, answered)
    // One listener: each costs a copy of the list when the answer is closed.
    response.on('close', () => {
      if (!response.writableFinished) leaving.abort(clientLeft)
      close()
    })
  }
  // Without a host there is an error as clients of the API read it, which Node's own is not.
  const server = createServer({ keepAliveTimeout, requireHostHeader: false }, serve)
  // HTTP lets a server pass over expectations that it does not know.
  server.on('checkExpectation', serve)
  drain.watch(server)
  server.on('timeout', endIdle)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(error, socket, answers.get(socket)))
  return server
}

/**
 * Ends a connection that was idle for longer than announced. What has already arrived is read first and served. A socket that
 * is destroyed at once would answer a request on its way with a reset.
 */
function endIdle(socket: Socket): void {
  const { bytesRead } = socket
  setImmediate(() => {
    if (socket.bytesRead > bytesRead) return
    socket.end()
    setTimeout(() => socket.destroy(), CROSSING_MS).unref()
  })
}

const statusOf: ReadonlyMap<string | undefined, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
])

/** Answers bytes that are not an HTTP request, unless an answer is already on its way. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, answer: ServerResponse | undefined): void {
  const isAnswering = answer?.headersSent === true && !answer.writableFinished
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = statusOf.get(error.code) ?? 400
  const message = 'The connection did not carry a valid HTTP request.'
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: 'bad_request' } })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
