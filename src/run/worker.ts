import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { HarnessError } from '../harness-error.ts'
import { isRecord } from '../json.ts'
import { execute, type Orders } from './execute.ts'
import { ignoreLeftRequests } from './left-requests.ts'
import type { RunnerMessage, RunnerOrder } from './runner.ts'

/** Runs the checks that this thread is ordered to, and tells of each. */
async function work(orders: Orders, tell: (message: RunnerMessage) => void, signal: AbortSignal): Promise<void> {
  try {
    const outcome = await execute(
      orders,
      {
        prepared: (prepared, most) => tell({ kind: 'prepared', prepared, most }),
        result: (result) => tell({ kind: 'result', result }),
        open: (all) => tell({ kind: 'open', all }),
      },
      signal,
    )
    tell({ kind: 'done', outcome })
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error
    tell({ kind: 'refused', code: error.code, detail: error.detail, next: error.next })
  }
}

if (!isMainThread && parentPort !== null && isRecord(workerData) && workerData['isRunner'] === true) {
  const port = parentPort
  const stopping = new AbortController()
  ignoreLeftRequests()
  port.on('message', (order: RunnerOrder) => {
    if (order === 'stop') stopping.abort()
    else void work(order.orders, (message) => port.postMessage(message), stopping.signal)
  })
}
