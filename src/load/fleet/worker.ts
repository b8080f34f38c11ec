import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { HarnessError } from '../../harness-error.ts'
import { monotonicMs } from '../engine/monotonic.ts'
import { runShards, type ShardsResult } from '../engine/shards.ts'
import { type FleetOrder, fleetQueue, presenceKey, presenceMs, shownAddress, stopKey, stopPollMs } from './fleet.ts'
import { clockOffsetMs } from './redis-clock.ts'

export interface FleetWorkerOptions {
  readonly url: string
  /** Sent with every request. Each machine has its own key; orders contain none. */
  readonly headers: Readonly<Record<string, string>>
  readonly onNotice: (notice: string) => void
  /** How long Redis may take to answer for the first time; later it is waited for without end. */
  readonly firstAnswerMsMax?: number
}

const lockMs = 120_000

/** The connection to Redis, once it stands. A trouble that lasts is told once. Throws `HarnessError` where nothing answers. */
async function connect({ url, onNotice, firstAnswerMsMax = 10_000 }: FleetWorkerOptions): Promise<Redis> {
  const redis = new Redis(url, { maxRetriesPerRequest: null })
  const { promise: answered, resolve } = Promise.withResolvers<true>()
  let trouble = ''
  redis.on('ready', () => {
    trouble = ''
    resolve(true)
  })
  redis.on('error', ({ message }) => {
    if (message !== trouble) onNotice(`Redis: ${message}`)
    trouble = message
  })
  const inTime = new AbortController()
  const late = sleep(firstAnswerMsMax, false, { signal: inTime.signal }).catch(() => false)
  const isThere = await Promise.race([answered, late])
  inTime.abort()
  if (isThere) return redis
  redis.disconnect()
  const waited = `tried for ${firstAnswerMsMax / 1000} s: ${trouble || 'silence'}`
  throw new HarnessError('no-redis', `Nothing answers at ${shownAddress(url)} (${waited}).`)
}

/** Takes part in a fleet until it is closed. Each order is carried out once, in its own threads. */
export async function joinFleet(options: FleetWorkerOptions): Promise<{ close(): Promise<void> }> {
  const { headers, onNotice } = options
  const name = `${hostname()}-${randomBytes(3).toString('hex')}`
  const redis = await connect(options)
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
  worker.on('error', (error) => {
    // A lost connection is told once, by the first of the two that lost it.
    if (redis.status === 'ready') onNotice(error.message)
  })
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
