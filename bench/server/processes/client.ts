import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventsIn } from '../requests.ts'

/**
 * The client of the bench, in its own process: raw sockets, each of which asks again as soon as it has a whole reply. It reads
 * no more of a reply than tells whether it is a whole success and when its first text came.
 */
export interface Order {
  readonly port: number
  readonly request: string
  readonly connections: number
  readonly durationMs: number
  /** It goes on for longer until there are as many replies. */
  readonly repliesMin?: number
  /** The connections begin evenly over this time, so that slow replies are not all at the same point. */
  readonly spreadMs?: number
}

export interface Outcome {
  readonly replies: number
  /** Replies that were no whole success. One of them makes the figures of the window void. */
  readonly failed: number
  /** Milliseconds from each request to the first text of its reply, in rising order. */
  readonly firstMs: readonly number[]
  /** Events of the last reply. */
  readonly events: number
  /** The last reply, to be looked at. */
  readonly sample: string
}

const firstText = /"content": ?"[^"]/

process.on('message', async (order: Order) => process.send?.(await run(order)))

async function run({ port, request, connections, durationMs, repliesMin = 0, spreadMs = 0 }: Order): Promise<Outcome> {
  const firstMs: number[] = []
  const counts = { replies: 0, failed: 0 }
  let sample = ''
  const endMs = performance.now() + durationMs
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      await sleep((spreadMs * index) / connections)
      await ask(port, request, (reply, ms) => {
        if (ms !== undefined) firstMs.push(ms)
        counts.replies += 1
        if (!isSuccess(reply)) counts.failed += 1
        sample = reply
        return performance.now() < endMs || counts.replies < repliesMin
      })
    }),
  )
  return { ...counts, firstMs: firstMs.sort((one, other) => one - other), events: eventsIn(sample).length, sample }
}

/** Asks on one connection until `onReply` says that it was enough. */
function ask(port: number, request: string, onReply: (reply: string, firstMs?: number) => boolean): Promise<void> {
  return new Promise((resolve) => {
    let reply = ''
    let sentMs = 0
    let firstMs: number | undefined
    const send = (socket: Socket): void => {
      reply = ''
      firstMs = undefined
      sentMs = performance.now()
      socket.write(request)
    }
    const socket = connect(port, '127.0.0.1', () => send(socket))
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('data', (text: string) => {
      reply += text
      if (firstMs === undefined && firstText.test(text)) firstMs = performance.now() - sentMs
      if (!isWhole(reply)) return
      if (onReply(reply, firstMs)) send(socket)
      else socket.end()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (reply !== '' && !isWhole(reply)) onReply('')
      resolve()
    })
  })
}

/** Only one reply is under way on a connection, so its end is the end of what was read. */
function isWhole(reply: string): boolean {
  if (reply.endsWith('0\r\n\r\n')) return true
  const headEnd = reply.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(reply.slice(0, headEnd))?.[1]
  return headEnd !== -1 && length !== undefined && reply.length >= headEnd + 4 + Number(length)
}

function isSuccess(reply: string): boolean {
  const isStream = reply.includes('text/event-stream')
  return reply.startsWith('HTTP/1.1 200') && (!isStream || reply.includes('[DONE]', reply.length - 40))
}
