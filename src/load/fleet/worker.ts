import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { monotonicMs } from '../engine/monotonic.ts'
import { runShards, type ShardsResult } from '../engine/shards.ts'
import { type FleetOrder, fleetQueue, presenceKey, presenceMs, stopKey, stopPollMs } from './fleet.ts'
import { clockOffsetMs } from './redis-clock.ts'

export interface FleetWorkerOptions {
  readonly url: string
  /** Sent with every request. Each machine has its own key; orders contain none. */
  readonly headers: Readonly<Record<string, string>>
  readonly onNotice: (notice: string) => void
}

const lockMs = 120_000

/** Takes part in a fleet until it is closed. Each order is carried out once, in its own threads. */
export async function joinFleet({ url, headers, onNotice }: FleetWorkerOptions): Promise<{ close(): Promise<void> }> {
  const name = `${hostname()}-${randomBytes(3).toString('hex')}`
  const redis = new Redis(url, { maxRetriesPerRequest: null })
  redis.on('error', (error) => onNotice(`Redis: ${error.message}`))
  const announce = (): Promise<unknown> => redis.set(presenceKey(name), '1', 'PX', presenceMs)
  const worker = new Worker(
    fleetQueue,
    async (job): Promise<ShardsResult> => {
      const { id, plan, share, startAtMs } = job.data as FleetOrder
      // Whoever waits for the result uses this name to see whether this worker is still there.
      await job.updateProgress({ worker: name })
      const localStartMs = startAtMs + (await clockOffsetMs(redis))
      if (localStartMs < monotonicMs()) throw new Error('the order came after its start time')
      onNotice(`carrying out shards ${share.first} to ${share.first + plan.shards - 1} of ${share.all}`)
      const stopping = new AbortController()
      const look = async (): Promise<void> => {
        if ((await redis.exists(stopKey(id))) > 0) stopping.abort()
      }
      const looking = setInterval(() => void look().catch(() => undefined), stopPollMs)
      return runShards({ ...plan, headers }, { share, startAtMs: localStartMs, signal: stopping.signal }).finally(() =>
        clearInterval(looking),
      )
    },
    // A stalled order must not be carried out by another machine: that would double the load.
    { connection: redis.duplicate(), concurrency: 1, lockDuration: lockMs, maxStalledCount: 0 },
  )
  worker.on('error', (error) => onNotice(error.message))
  await worker.waitUntilReady()
  await announce()
  const timer = setInterval(() => void announce().catch(() => undefined), presenceMs / 4)
  onNotice(`${name} joined`)
  return {
    async close() {
      clearInterval(timer)
      await redis.del(presenceKey(name))
      await worker.close(true)
      redis.disconnect()
    },
  }
}
