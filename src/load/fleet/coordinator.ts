import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { commandName } from '../../command-name.ts'
import { countOf } from '../../count.ts'
import { HarnessError } from '../../harness-error.ts'
import { textAt } from '../../json.ts'
import type { ShardsResult } from '../engine/shards.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { type FleetOrder, fleetQueue, presenceKey, stopKey, stopMs } from './fleet.ts'

export interface FleetOptions {
  readonly url: string
  /** How many machines must have joined. */
  readonly workers: number
  readonly onNotice?: (notice: string) => void
  /** Once it is aborted, no machine starts more requests. */
  readonly signal?: AbortSignal
}

const joinMsMax = 30_000
const pollMs = 200
/** Long enough for an order to reach every worker before the start. */
const leadMs = 1500
const graceMs = 30_000

/** Carries out plans on the machines that joined. A machine that is lost is named, never silently replaced. */
export function fleetRunner({
  url,
  workers,
  onNotice,
  signal,
}: FleetOptions): (plan: LoadPlan) => Promise<ShardsResult> {
  return async (plan) => {
    const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: (times) => (times > 3 ? null : 200) })
    let problem = ''
    redis.on('error', (error) => {
      problem = error.message
    })
    const queue = new Queue(fleetQueue, { connection: redis })
    queue.on('error', () => undefined)
    try {
      const present = await waitForWorkers(redis, workers, () => problem, signal)
      onNotice?.(`${countOf(present.length, 'machine')} joined: ${present.join(', ')}`)
      await queue.obliterate({ force: true })
      return await runOn(present.slice(0, workers), { plan, redis, queue, ...(signal !== undefined && { signal }) })
    } finally {
      await queue.close()
      redis.disconnect()
    }
  }
}

async function waitForWorkers(
  redis: Redis,
  workers: number,
  problem: () => string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const endMs = performance.now() + joinMsMax
  for (;;) {
    if (signal?.aborted === true) throw new HarnessError('interrupted', 'Interrupted before the load began.')
    if (redis.status === 'end') throw new HarnessError('usage', `--fleet: Redis does not answer (${problem()}).`)
    const keys = redis.status === 'ready' ? await redis.keys(presenceKey('*')) : []
    if (keys.length >= workers) return keys.map((key) => key.slice(presenceKey('').length)).sort()
    if (performance.now() > endMs)
      throw new HarnessError(
        'usage',
        `--fleet: ${keys.length} of ${countOf(workers, 'machine')} joined. Start "${commandName('load')} join" on each.`,
      )
    await sleep(pollMs)
  }
}

async function runOn(
  present: readonly string[],
  {
    plan,
    redis,
    queue,
    signal,
  }: { readonly plan: LoadPlan; readonly redis: Redis; readonly queue: Queue; readonly signal?: AbortSignal },
): Promise<ShardsResult> {
  const orderId = randomUUID()
  const stop = (): void => void redis.set(stopKey(orderId), '1', 'PX', stopMs)
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop, { once: true })
  const [seconds, micros] = await redis.time()
  const startAtMs = Number(seconds) * 1000 + Number(micros) / 1000 + leadMs
  const { headers: _, ...withoutKeys } = plan
  const jobs = await Promise.all(
    present.map((_worker, index) => {
      const order: FleetOrder = {
        id: orderId,
        plan: withoutKeys,
        share: { first: index * plan.shards, all: present.length * plan.shards },
        startAtMs,
      }
      return queue.add('load', order, { attempts: 1, removeOnComplete: false, removeOnFail: false })
    }),
  )
  const endMs = performance.now() + leadMs + plan.durationMs + plan.drainMs + graceMs
  const parts = await Promise.all(jobs.map((job) => outcomeOf(job, { queue, redis, endMs })))
  signal?.removeEventListener('abort', stop)
  return {
    results: parts.flatMap(({ results }) => results),
    lost: parts.flatMap(({ lost }) => lost),
  }
}

async function outcomeOf(
  job: Job,
  { queue, redis, endMs }: { readonly queue: Queue; readonly redis: Redis; readonly endMs: number },
): Promise<ShardsResult> {
  const id = job.id ?? ''
  for (;;) {
    const found: Job | undefined = await queue.getJob(id)
    const state = await found?.getState()
    // Where it ended between these two looks, the first has not its result yet.
    const result: ShardsResult | null | undefined = found?.returnvalue
    if (state === 'completed' && result) return result
    if (state === 'failed') return { results: [], lost: [`a machine of the fleet failed: ${found?.failedReason}`] }
    const worker = textAt(found?.progress, 'worker')
    if (worker !== undefined && (await redis.exists(presenceKey(worker))) === 0)
      return { results: [], lost: [`${worker} was lost`] }
    if (performance.now() > endMs) return { results: [], lost: ['a machine of the fleet did not answer in time'] }
    await sleep(pollMs)
  }
}
