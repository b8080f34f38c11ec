import { Worker } from 'node:worker_threads'
import type { SerializedResult } from '../check/result.ts'
import { HarnessError, type ProblemCode } from '../harness-error.ts'
import type { Prepared } from '../target/prepare.ts'
import type { BudgetPlan } from './budget/plan.ts'
import type { Orders, Outcome, Watcher } from './execute.ts'

/** Messages from the thread that runs the checks. */
export type RunnerMessage =
  | { readonly kind: 'prepared'; readonly prepared: Prepared; readonly most: BudgetPlan['most'] }
  | { readonly kind: 'result'; readonly result: SerializedResult }
  | { readonly kind: 'open'; readonly all: readonly string[] }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly detail: string; readonly next: string }

/** Messages to that thread. */
export type RunnerOrder = { readonly orders: Orders } | 'stop'

let waiting: Worker | undefined

/** Starts a thread that loads the checks while this one still reads options; the next run takes it. */
export function startRunner(): void {
  waiting ??= newRunner()
}

function newRunner(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), {
    workerData: { isRunner: true },
    // What a run throws away is collected sooner, which takes no longer and a fifth less memory.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })
  // An idle thread must not keep the process alive.
  worker.unref()
  return worker
}

/** `execute` in a thread of its own, so that a busy harness does not slow down a gateway in this one. */
export function executeInRunner(orders: Orders, watcher: Watcher = {}, signal?: AbortSignal): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const worker = waiting ?? newRunner()
  waiting = undefined
  worker.ref()
  const tell = (order: RunnerOrder): void => worker.postMessage(order)
  const stop = (): void => tell('stop')
  signal?.addEventListener('abort', stop, { once: true })
  worker.on('message', (message: RunnerMessage) => {
    if (message.kind === 'prepared') watcher.prepared?.(message.prepared, message.most)
    else if (message.kind === 'result') watcher.result?.(message.result)
    else if (message.kind === 'open') watcher.open?.(message.all)
    else if (message.kind === 'done') resolve(message.outcome)
    else reject(new HarnessError(message.code, message.detail, { next: message.next }))
  })
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('the thread that runs the checks ended before they did')))
  tell({ orders })
  if (signal?.aborted === true) stop()
  return promise.finally(() => {
    signal?.removeEventListener('abort', stop)
    return worker.terminate()
  })
}
