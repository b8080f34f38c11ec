import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Arrival } from './transcript.ts'

/** Bytes to write, a pause in milliseconds, no more reading, or the end, in the order in which they happen. */
export type RawStep =
  | string
  | Uint8Array
  | { readonly pauseMs: number }
  | { readonly stopReading: true }
  | { readonly halfClose: true }
  | { readonly leave: true }

export interface RawConversation {
  /** Everything the server sent, with arrival times in milliseconds since the connection was made. */
  readonly arrivals: readonly Arrival[]
  readonly ending: 'closed' | 'reset' | 'timeout' | 'unreachable' | 'left'
}

export interface RawOptions {
  readonly url: string
  readonly steps: readonly RawStep[]
  readonly silenceMsMax: number
  readonly insecure: boolean
  /** True when enough was read; the connection is then closed. */
  readonly enough: (received: Buffer) => boolean
}

/** How much is read of what a server sends, and for how many times its longest silence. */
const receivedMax = { bytes: 1024 * 1024, pieces: 10_000 }
const silencesMax = 6

/** Writes bytes unchanged on a socket of their own: for what an HTTP client refuses to send, or hides. */
export async function converse({ url, steps, silenceMsMax, insecure, enough }: RawOptions): Promise<RawConversation> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'https:'
  const address = { host, port: Number(port || (secure ? 443 : 80)) }
  const socket = secure
    ? connectTls({ ...address, servername: host, rejectUnauthorized: !insecure })
    : connectTcp({ ...address, allowHalfOpen: true })
  const { promise, resolve } = Promise.withResolvers<RawConversation>()
  const arrivals: Arrival[] = []
  const start = performance.now()
  let received: Buffer = Buffer.alloc(0)
  let connected = false

  function finish(ending: RawConversation['ending']): void {
    clearTimeout(duration)
    resolve({ arrivals, ending })
    socket.destroy()
  }

  // While we pause, the other side owes nothing.
  const pausesMs = steps.map((step) => (typeof step === 'object' && 'pauseMs' in step ? step.pauseMs : 0))
  const allPausesMs = pausesMs.reduce((sum, ms) => sum + ms, 0)
  socket.setTimeout(silenceMsMax + Math.max(0, ...pausesMs), () => finish('timeout'))
  const duration = setTimeout(() => finish('timeout'), silencesMax * silenceMsMax + allPausesMs)
  socket.on('data', (bytes) => {
    arrivals.push({ bytes, atMs: performance.now() - start })
    received = Buffer.concat([received, bytes])
    const isTooMuch = received.length > receivedMax.bytes || arrivals.length > receivedMax.pieces
    if (isTooMuch || enough(received)) finish('left')
  })
  socket.on('end', () => finish('closed'))
  socket.on('close', () => finish('closed'))
  socket.on('error', () => finish(connected ? 'reset' : 'unreachable'))
  socket.on(secure ? 'secureConnect' : 'connect', () => {
    connected = true
    void play(steps)
  })

  async function play(all: readonly RawStep[]): Promise<void> {
    for (const step of all) {
      if (socket.destroyed) return
      if (typeof step === 'string' || step instanceof Uint8Array) socket.write(step)
      else if ('pauseMs' in step) await new Promise((done) => setTimeout(done, step.pauseMs))
      else if ('stopReading' in step) socket.pause()
      else if ('leave' in step) finish('left')
      else socket.end()
    }
  }

  return promise
}
