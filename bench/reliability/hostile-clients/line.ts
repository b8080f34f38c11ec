import { connect, type Socket } from 'node:net'
import { ResponseParser } from '../../../src/load/client/response-parser.ts'
import type { Input } from './input.ts'

/** One answer of the gateway. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly body: string
}

export interface Heard {
  readonly replies: readonly Reply[]
  /** How it ended: with a whole answer, with the connection, in bytes that are no HTTP, or not at all. */
  readonly ending: 'answered' | 'closed' | 'silent' | string
}

const silenceMsMax = 20_000

/**
 * A client with one connection at a time, which it keeps where the gateway lets it. Where a kept connection turns out to have ended
 * while it was idle, the request is sent again on a new one, as every client of HTTP does.
 */
export interface Line {
  send(input: Pick<Input, 'bytes' | 'isRequest'>): Promise<Heard>
  close(): void
}

export function openLine(port: number): Line {
  let kept: Socket | undefined
  async function sendOn(socket: Socket, bytes: Buffer, isRequest: boolean): Promise<Heard> {
    const { heard, isReusable } = await exchange(socket, bytes, isRequest)
    if (isReusable) kept = socket
    else socket.destroy()
    return heard
  }
  return {
    async send({ bytes, isRequest }) {
      const old = isRequest && kept?.writable === true ? kept : undefined
      if (isRequest) kept = undefined
      const heard = old && (await sendOn(old, bytes, isRequest))
      const isIdledOut = heard?.ending === 'closed' && heard.replies.length === 0
      return heard === undefined || isIdledOut ? sendOn(connect(port, '127.0.0.1'), bytes, isRequest) : heard
    },
    close: () => kept?.destroy(),
  }
}

/** Writes the bytes; where they may be no whole request, also the end, so that nobody waits for more. */
function exchange(
  socket: Socket,
  bytes: Buffer,
  isRequest: boolean,
): Promise<{ readonly heard: Heard; readonly isReusable: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ heard: Heard; isReusable: boolean }>()
  const replies: Reply[] = []
  let head = { status: 0, type: '' }
  let body = ''
  const finish = (ending: Heard['ending'], isReusable = false): void => {
    clearTimeout(timer)
    socket.removeAllListeners()
    // What comes after the end is nobody's business.
    socket.on('error', () => {})
    resolve({ heard: { replies, ending }, isReusable })
  }
  const timer = setTimeout(() => finish('silent'), silenceMsMax)
  const parser = new ResponseParser({
    head(status, type) {
      head = { status, type }
    },
    body(piece, from, to) {
      body += Buffer.from(piece.buffer, piece.byteOffset + from, to - from).toString('latin1')
    },
    end(isReusable) {
      replies.push({ ...head, body })
      body = ''
      if (isRequest) finish('answered', isReusable)
      else parser.reset()
    },
    broken: finish,
  })
  const closed = (): void => {
    parser.closed()
    finish('closed')
  }
  socket.setNoDelay(true)
  socket.on('data', (piece) => parser.execute(piece))
  socket.on('error', closed)
  socket.on('close', closed)
  if (isRequest) socket.write(bytes)
  else socket.end(bytes)
  return promise
}
