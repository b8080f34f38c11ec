import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Draw } from '../draw.ts'

/** What became of requests that were sent at the idle limit of their connections. */
export interface IdleRace {
  readonly served: number
  /** The end of the connection had come before the request was due, so it was not sent. */
  readonly endedBefore: number
  /** It crossed the end of the connection, which is no reset: a client asks again on another. */
  readonly crossed: number
  readonly reset: number
  /** How many were due in time to be sent within the margin; a busy machine sends some later. */
  readonly onTime: number
}

export interface IdleRaceOptions {
  readonly port: number
  readonly key: string
  /** After how long without a request the server ends a connection. */
  readonly limitMs: number
  readonly marginMs: number
  readonly sockets: number
  readonly openedPerS: number
}

type Outcome = Exclude<keyof IdleRace, 'onTime'>

/** Opens connections, asks once on each, and asks again when it has been idle for the limit, give or take the margin. */
export async function raceIdleLimit(options: IdleRaceOptions, draw: Draw): Promise<IdleRace> {
  const counts = { served: 0, endedBefore: 0, crossed: 0, reset: 0, onTime: 0 }
  const racing: Promise<void>[] = []
  const startMs = performance.now()
  for (let at = 0; at < options.sockets; at += 1) {
    await sleep(Math.max(0, startMs + (at * 1000) / options.openedPerS - performance.now()))
    const offsetMs = (2 * draw.unit() - 1) * options.marginMs
    racing.push(
      raceOnce(options, offsetMs).then(({ outcome, sentMs }) => {
        counts[outcome] += 1
        if (Math.abs(sentMs - options.limitMs) <= options.marginMs) counts.onTime += 1
      }),
    )
  }
  await Promise.all(racing)
  return counts
}

/** `sentMs` counts from the answer to the first request. */
async function raceOnce(
  { port, key, limitMs }: IdleRaceOptions,
  offsetMs: number,
): Promise<{ readonly outcome: Outcome; readonly sentMs: number }> {
  const request = `GET /api/v1/models HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${key}\r\n\r\n`
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.setEncoding('latin1')
  const first = nextAnswer(socket)
  socket.write(request)
  if ((await first) !== 'served') throw new Error('the first request of a connection was not served')
  const answeredMs = performance.now()
  await sleep(limitMs + offsetMs)
  const sentMs = performance.now() - answeredMs
  const hasEnded = socket.readableEnded || socket.errored !== null
  const second = nextAnswer(socket)
  if (!hasEnded) socket.write(request)
  const outcome = hasEnded && socket.errored === null ? 'endedBefore' : await second
  socket.destroy()
  return { outcome, sentMs }
}

/** What comes next on a connection. */
function nextAnswer(socket: Socket): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  let said = ''
  socket.removeAllListeners('data').removeAllListeners('error').removeAllListeners('end')
  socket.on('data', (piece: string) => {
    said += piece
    const headLength = said.indexOf('\r\n\r\n') + 4
    const bodyLength = Number(/^content-length: (\d+)\r$/im.exec(said)?.[1])
    if (said.length >= headLength + bodyLength) resolve('served')
  })
  socket.on('error', () => resolve('reset'))
  socket.on('end', () => resolve('crossed'))
  if (socket.errored !== null) resolve('reset')
  return promise
}
