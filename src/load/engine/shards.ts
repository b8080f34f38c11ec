import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Progress } from '../figures/progress.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { createEngine, type EngineResult } from './engine.ts'
import { monotonicMs } from './monotonic.ts'
import type { Share } from './workload.ts'

interface ShardOrders {
  readonly isLoadShard: true
  readonly plan: LoadPlan
  readonly share: Share
}

type ToShard = { readonly kind: 'run'; readonly startAtMs: number } | { readonly kind: 'stop' }

type FromShard =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'result'; readonly result: EngineResult }

export interface ShardsOptions {
  readonly onProgress?: (progress: readonly Progress[]) => void
  /** Once it is aborted, no more requests are started. */
  readonly signal?: AbortSignal
  /** Which shards of how many these are; for a fleet, whose other shards run elsewhere. */
  readonly share?: { readonly first: number; readonly all: number }
  /** When to begin, on the monotonic clock; by default as soon as all are ready. */
  readonly startAtMs?: number
  /** Called once all are ready, with the moment when the load begins, on the same clock. */
  readonly onReady?: (startAtMs: number) => void
}

/** What the shards of this process counted; `lost` names those that died. */
export interface ShardsResult {
  readonly results: readonly EngineResult[]
  readonly lost: readonly string[]
}

const warmUpMs = 150
const progressMs = 500

/** A young generation that cannot grow keeps collections short and the memory of a long run flat. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 }

/** Runs a plan in threads of its own, one per shard, which all begin at the same moment. */
export async function runShards(plan: LoadPlan, options: ShardsOptions = {}): Promise<ShardsResult> {
  const first = options.share?.first ?? 0
  const all = options.share?.all ?? plan.shards
  const progress = new Map<number, Progress>()
  const lost: string[] = []
  const crews = Array.from({ length: plan.shards }, (_, index) => {
    const orders: ShardOrders = { isLoadShard: true, plan, share: { shard: first + index, shards: all } }
    const worker = new Worker(new URL(import.meta.url), { workerData: orders, resourceLimits })
    const ready = Promise.withResolvers<void>()
    const done = Promise.withResolvers<EngineResult | undefined>()
    worker.on('message', (message: FromShard) => {
      if (message.kind === 'ready') ready.resolve()
      else if (message.kind === 'result') done.resolve(message.result)
      else {
        progress.set(index, message.progress)
        options.onProgress?.([...progress.values()])
      }
    })
    worker.on('error', (error) => {
      lost.push(`shard ${first + index} died: ${error.message.split('\n')[0]}`)
      ready.resolve()
      done.resolve(undefined)
    })
    return { worker, ready: ready.promise, done: done.promise }
  })
  const tell = (message: ToShard): void => {
    for (const { worker } of crews) worker.postMessage(message)
  }
  const stop = (): void => tell({ kind: 'stop' })
  options.signal?.addEventListener('abort', stop, { once: true })
  await Promise.all(crews.map(({ ready }) => ready))
  if (options.signal?.aborted === true) stop()
  const startAtMs = options.startAtMs ?? monotonicMs() + warmUpMs
  tell({ kind: 'run', startAtMs })
  options.onReady?.(startAtMs)
  const results = await Promise.all(crews.map(({ done }) => done))
  options.signal?.removeEventListener('abort', stop)
  await Promise.all(crews.map(({ worker }) => worker.terminate()))
  return { results: results.filter((result) => result !== undefined), lost }
}

const given: unknown = workerData
if (!isMainThread && parentPort !== null && isOrders(given)) {
  const port = parentPort
  const engine = createEngine(given.plan, given.share)
  port.on('message', async (message: ToShard) => {
    if (message.kind === 'stop') {
      engine.stop()
      return
    }
    engine.warm()
    const timer = setInterval(() => tell({ kind: 'progress', progress: engine.progress() }), progressMs)
    const result = await engine.run(message.startAtMs)
    clearInterval(timer)
    tell({ kind: 'result', result })
  })
  tell({ kind: 'ready' })

  function tell(message: FromShard): void {
    port.postMessage(message)
  }
}

function isOrders(value: unknown): value is ShardOrders {
  return typeof value === 'object' && value !== null && 'isLoadShard' in value
}
