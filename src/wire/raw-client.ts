import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Arrival } from './transcript.ts'

/**
 * Bytes to write, a pause in milliseconds, a wait for the server's end of the connection, no more reading, or our own end, in
 * the order in which they happen. With a wait for its end, the conversation goes on after that.
 */
export type RawStep =
  | string
  | Uint8Array
  | { readonly pauseMs: number }
  | { readonly awaitEndMs: number }
  | { readonly stopReading: true }
  | { readonly halfClose: true }
  | { readonly leave: true }

export interface RawConversation {
  /** Everything the server sent, with arrival times in milliseconds since the connection was made. */
  readonly arrivals: readonly Arrival[]
  readonly ending: 'closed' | 'reset' | 'timeout' | 'unreachable' | 'left'
  /** When the server ended its side or reset the connection, on the same clock; absent where it did neither. */
  readonly endedAtMs?: number
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
const silenceFactor = 6

/** Writes bytes unchanged on a socket of their own: for what an HTTP client refuses to send, or hides. */
export async function converse({ url, steps, silenceMsMax, insecure, enough }: RawOptions): Promise<RawConversation> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'https:'
  const address = { host, port: Number(port || (secure ? 443 : 80)) }
  const goesOn = steps.some((step) => typeof step === 'object' && 'awaitEndMs' in step)
  const socket = secure
    ? connectTls({
        ...address,
        servername: host,
        rejectUnauthorized: !insecure,
        ...(goesOn && { allowHalfOpen: true }),
      })
    : connectTcp({ ...address, allowHalfOpen: true })
  const ended = Promise.withResolvers<void>()
  let endedAtMs: number | undefined
  const { promise, resolve } = Promise.withResolvers<RawConversation>()
  const arrivals: Arrival[] = []
  const start = performance.now()
  let received: Buffer = Buffer.alloc(0)
  let connected = false

  function finish(ending: RawConversation['ending']): void {
    clearTimeout(duration)
    resolve({ arrivals, ending, ...(endedAtMs !== undefined && { endedAtMs }) })
    socket.destroy()
  }
  function noteEnd(): void {
    endedAtMs ??= performance.now() - start
    ended.resolve()
  }

  // While we pause, the other side owes nothing.
  const pausesMs = steps.map(pauseOf)
  const allPausesMs = pausesMs.reduce((sum, ms) => sum + ms, 0)
  socket.setTimeout(silenceMsMax + Math.max(0, ...pausesMs), () => finish('timeout'))
  const duration = setTimeout(() => finish('timeout'), silenceFactor * silenceMsMax + allPausesMs)
  socket.on('data', (bytes) => {
    arrivals.push({ bytes, atMs: performance.now() - start })
    received = Buffer.concat([received, bytes])
    const isTooMuch = received.length > receivedMax.bytes || arrivals.length > receivedMax.pieces
    if (isTooMuch || enough(received)) finish('left')
  })
  socket.on('end', () => {
    noteEnd()
    if (!goesOn) finish('closed')
  })
  socket.on('close', () => finish('closed'))
  socket.on('error', () => {
    if (connected) noteEnd()
    finish(connected ? 'reset' : 'unreachable')
  })
  socket.on(secure ? 'secureConnect' : 'connect', () => {
    connected = true
    void play(socket, steps, ended.promise).then((isLeft) => {
      if (isLeft) finish('left')
      else if (endedAtMs !== undefined) finish('closed')
    })
  })

  return promise
}

/** Carries out the steps while the connection lives, and returns whether the last of them was to leave. */
async function play(socket: Socket, steps: readonly RawStep[], ended: Promise<void>): Promise<boolean> {
  for (const step of steps) {
    if (socket.destroyed) return false
    if (typeof step === 'string' || step instanceof Uint8Array) socket.write(step)
    else if ('pauseMs' in step) await pause(step.pauseMs)
    else if ('awaitEndMs' in step) await Promise.race([ended, sleep(step.awaitEndMs, undefined, { ref: false })])
    else if ('stopReading' in step) socket.pause()
    else if ('leave' in step) return true
    else socket.end()
  }
  return false
}

/** Timers count whole milliseconds and so end up to one early; a pause that an answer is compared with must not. */
async function pause(ms: number): Promise<void> {
  const untilMs = performance.now() + ms
  for (let leftMs = ms; leftMs > 0; leftMs = untilMs - performance.now()) await sleep(Math.ceil(leftMs))
}

/** How long a step lasts in which nothing is owed. */
function pauseOf(step: RawStep): number {
  if (typeof step === 'string' || step instanceof Uint8Array) return 0
  if ('pauseMs' in step) return step.pauseMs
  return 'awaitEndMs' in step ? step.awaitEndMs : 0
}
