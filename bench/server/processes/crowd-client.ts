import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../figures.ts'

/** The client of a crowd, in its own process: a raw socket for each stream, whose events say when they were due. */
export interface CrowdOrder {
  readonly port: number
  readonly request: string
  readonly streams: number
  /** They begin evenly over this time, and lateness counts once all have begun. */
  readonly rampMs: number
}

export interface CrowdOutcome {
  /** Streams that were no whole success. */
  readonly failed: number
  /** What the last one of them ended with. */
  readonly sample: string
  readonly events: number
  /** Milliseconds that the median event, and the last of a hundred, was read after it was due. */
  readonly lateP50Ms: number
  readonly lateP99Ms: number
}

const due = /"content":"(\d+\.\d+)"/g

process.on('message', async (order: CrowdOrder) => process.send?.(await run(order)))

async function run({ port, request, streams, rampMs }: CrowdOrder): Promise<CrowdOutcome> {
  const lateMs: number[] = []
  let failed = 0
  let sample = ''
  const startMs = performance.now()
  await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      await sleep((rampMs * index) / streams)
      const end = await read(port, request, (ms) => {
        if (performance.now() - startMs > rampMs) lateMs.push(ms)
      })
      if (end.includes('[DONE]')) return
      failed += 1
      sample = end
    }),
  )
  lateMs.sort((one, other) => one - other)
  return { failed, sample, events: lateMs.length, lateP50Ms: quantile(lateMs, 0.5), lateP99Ms: quantile(lateMs, 0.99) }
}

/** The end of what was read of a stream, or what went wrong. An event is never so long that it comes in two reads. */
function read(port: number, request: string, onEvent: (lateMs: number) => void): Promise<string> {
  return new Promise((resolve) => {
    let end = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.setNoDelay(true).setEncoding('latin1')
    socket.on('data', (text: string) => {
      const nowMs = Number(process.hrtime.bigint()) / 1e6
      for (const [, dueMs] of text.matchAll(due)) onEvent(nowMs - Number(dueMs))
      end = (end + text).slice(-200)
      if (end.endsWith('0\r\n\r\n')) socket.end()
    })
    socket.on('error', (error) => resolve(error.message))
    socket.on('close', () => resolve(end))
  })
}
