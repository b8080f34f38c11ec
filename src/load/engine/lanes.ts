import { startClients } from '../client/autocannon-clients.ts'
import { connectorFor } from '../client/connection.ts'
import { Lane, type LaneOptions } from '../client/lane.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { monotonicMs } from './monotonic.ts'
import type { RunRecord } from './record.ts'

export interface LanesOptions {
  readonly connections: number
  readonly firstBody: string
  draw(): number
  readonly record: RunRecord
  /** Told when a lane can carry its next request. */
  free(lane: Lane): void
}

/** One lane for each connection; what they read and how their requests land is recorded. */
export function openLanes(
  { url, headers, insecure, stream, limits, validateShare }: LoadPlan,
  { connections, firstBody, draw, record, free }: LanesOptions,
): { readonly lanes: readonly Lane[]; close(): Promise<void> } {
  const { tally, onContent } = record
  const lanes: Lane[] = []
  const options: LaneOptions = {
    stream,
    limits,
    sampling: { share: validateShare, draw, ...(onContent !== undefined && { onContent }) },
    open: connectorFor(url, insecure),
    read: (events, atMs) => tally.read(events, atMs),
    landed(lane, flight, gaps) {
      record.landed(flight, gaps)
      const pauseMs = lane.backOffMs
      if (pauseMs > 0) setTimeout(() => free(lane), pauseMs)
      else free(lane)
    },
  }
  const clients = startClients({
    url,
    headers,
    body: firstBody,
    connections,
    adopt: (client) => lanes.push(new Lane(client, options)),
  })
  return {
    lanes,
    async close() {
      for (const lane of lanes) lane.close()
      await clients.stop()
    },
  }
}

const lookMs = 20

/** Makes lanes check their time limits again and again, and calls `onLook` each time. */
export function watchLanes(lanes: readonly Lane[], onLook: (nowMs: number) => void): { stop(): void } {
  let lookedAtMs = monotonicMs()
  const timer = setInterval(() => {
    const nowMs = monotonicMs()
    // After a stall of this thread, bytes that came during it are read before a request is called silent.
    if (nowMs - lookedAtMs < 3 * lookMs) for (const lane of lanes) lane.watch(nowMs)
    lookedAtMs = nowMs
    onLook(nowMs)
  }, lookMs)
  return { stop: () => clearInterval(timer) }
}
