import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { WorstCase } from '../check/cost.ts'
import type { SerializedResult } from '../check/result.ts'
import { HarnessError, type ProblemCode } from '../harness-error.ts'
import { isRecord } from '../json.ts'
import type { Prepared } from '../target/prepare.ts'
import { execute, type Orders, type Outcome, type Watcher } from './execute.ts'

type Message =
  | { readonly kind: 'prepared'; readonly prepared: Prepared; readonly worst: WorstCase }
  | { readonly kind: 'result'; readonly result: SerializedResult }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly detail: string }

/** `execute` in a thread of its own, so that a busy harness does not slow down a gateway in this one. */
export function executeInWorker(orders: Orders, watcher: Watcher = {}, signal?: AbortSignal): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const worker = new Worker(new URL(import.meta.url), { workerData: { isAssayRun: true, orders } })
  const stop = (): void => worker.postMessage('stop')
  signal?.addEventListener('abort', stop, { once: true })
  worker.on('message', (message: Message) => {
    if (message.kind === 'prepared') watcher.prepared?.(message.prepared, message.worst)
    else if (message.kind === 'result') watcher.result?.(message.result)
    else if (message.kind === 'done') resolve(message.outcome)
    else reject(new HarnessError(message.code, message.detail))
  })
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('the thread that runs the checks ended before they did')))
  return promise.finally(() => {
    signal?.removeEventListener('abort', stop)
    return worker.terminate()
  })
}

async function work(orders: Orders, tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  try {
    const outcome = await execute(
      orders,
      {
        prepared: (prepared, worst) => tell({ kind: 'prepared', prepared, worst }),
        result: (result) => tell({ kind: 'result', result }),
      },
      signal,
    )
    tell({ kind: 'done', outcome })
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error
    tell({ kind: 'refused', code: error.code, detail: error.detail })
  }
}

const given: unknown = workerData
if (!isMainThread && parentPort !== null && isRecord(given) && given['isAssayRun'] === true) {
  const port = parentPort
  const stopping = new AbortController()
  port.on('message', () => stopping.abort())
  await work(given['orders'] as Orders, (message) => port.postMessage(message), stopping.signal)
}
