import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { monotonicMs } from './engine/monotonic.ts'

/** A server whose streams say when they were written, to measure a client against. */
export interface StampedServer {
  readonly url: string
  close(): Promise<void>
}

export interface Pace {
  /** To the first event of a stream. */
  readonly firstMs: number
  /** Between the events of all streams, which come together, as from one step of an inference engine. */
  readonly everyMs: number
  readonly events: number
}

interface Orders {
  readonly isStampedServer: true
  readonly pace: Pace
}

/** Runs in a thread of its own, which waits actively for the last half millisecond before each beat so as not to be late. */
export async function startStampedServer(pace: Pace): Promise<StampedServer> {
  const orders: Orders = { isStampedServer: true, pace }
  const worker = new Worker(new URL(import.meta.url), { workerData: orders })
  const [port]: number[] = await once(worker, 'message')
  return {
    url: `http://127.0.0.1:${port}/api/v1/chat/completions`,
    async close() {
      await worker.terminate()
    },
  }
}

interface Stream {
  readonly socket: Socket
  readonly dueAtMs: number
  left: number
}

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'
const spinMs = 0.5
/** 204 bytes per event, like the chunks of the widely used format. */
const before =
  'data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1700000000,"model":"small-2026","choices":[{"index":0,"delta":{"content":"'
const after = '"},"finish_reason":null}]}\n\n'
const end = 'e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n'

function serve({ firstMs, everyMs, events }: Pace): void {
  const streams = new Set<Stream>()
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    let received = ''
    let stream: Stream | undefined
    socket.once('close', () => stream !== undefined && streams.delete(stream))
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd === -1 || received.length < headEnd + 4 + length) return
      received = ''
      socket.write(head)
      stream = { socket, dueAtMs: monotonicMs() + firstMs, left: events }
      streams.add(stream)
    })
  })
  let beatAtMs = monotonicMs()

  function beat(): void {
    const nowMs = monotonicMs()
    if (nowMs < beatAtMs) {
      if (beatAtMs - nowMs > spinMs + 1) setTimeout(beat, beatAtMs - nowMs - spinMs)
      else setImmediate(beat)
      return
    }
    for (const stream of streams) {
      if (stream.dueAtMs > nowMs) continue
      const data = `${before}${monotonicMs().toFixed(3)}${after}`
      stream.left -= 1
      stream.socket.write(`${data.length.toString(16)}\r\n${data}\r\n${stream.left === 0 ? end : ''}`)
      if (stream.left === 0) streams.delete(stream)
    }
    beatAtMs = Math.max(beatAtMs + everyMs, monotonicMs())
    setImmediate(beat)
  }

  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    parentPort?.postMessage(typeof address === 'object' ? address?.port : undefined)
    beat()
  })
}

const given: unknown = workerData
if (!isMainThread && isOrders(given)) serve(given.pace)

function isOrders(value: unknown): value is Orders {
  return typeof value === 'object' && value !== null && 'isStampedServer' in value
}
