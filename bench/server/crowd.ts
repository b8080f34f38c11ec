import { serverCore, startCrowd, startServer } from './process.ts'
import { apiPath, crowdBody, crowdTokens, requestText } from './requests.ts'

/** Many slow streams at once in one gateway. */
export interface Crowd {
  readonly streams: number
  /** Streams that were no whole success. One of them makes the figures void, and `sample` says how it ended. */
  readonly failed: number
  readonly sample: string
  /** Milliseconds that events are read after they were due. */
  readonly lateP50Ms: number
  readonly lateP99Ms: number
  /** Kilobytes of resident memory that each stream takes while all are under way. */
  readonly kbPerStream: number
  /** Microseconds of CPU for an event, the beginning and the end of its stream included. */
  readonly cpuUs: number
}

const sizes = [1000, 10_000]
/** All have begun before the first has said half of its events. */
const rampMs = 8000

/** Streams of an event a second, each size in a gateway of its own, so that none begins in the memory of another. */
export async function measureCrowds(): Promise<readonly Crowd[]> {
  const crowds: Crowd[] = []
  for (const streams of sizes) crowds.push(await measureCrowd(streams))
  return crowds
}

async function measureCrowd(streams: number): Promise<Crowd> {
  const server = await startServer(serverCore, 'ours', ['memory'])
  const client = startCrowd()
  try {
    const request = requestText(apiPath, server.key, crowdBody)
    const order = { port: server.port, request, streams, rampMs }
    const [idleMb, beforeMs] = [server.residentMb(), server.cpuMs()]
    let fullMb = Number.NaN
    const look = setTimeout(() => {
      fullMb = server.residentMb()
    }, rampMs + 1000)
    const { failed, sample, lateP50Ms, lateP99Ms } = await Promise.race([client.ask(order), server.ended])
    clearTimeout(look)
    const cpuUs = ((server.cpuMs() - beforeMs) * 1000) / (streams * crowdTokens)
    return { streams, failed, sample, lateP50Ms, lateP99Ms, kbPerStream: ((fullMb - idleMb) * 1024) / streams, cpuUs }
  } finally {
    await Promise.all([server.stop(), client.stop()])
  }
}
