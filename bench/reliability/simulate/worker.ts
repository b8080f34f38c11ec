import { parentPort } from 'node:worker_threads'
import { honest } from '../../../reference-server/simulation/bug.ts'
import { simulateFrom, type Verdict } from '../../../reference-server/simulation/simulate.ts'

/** Seeds for a thread. */
export interface Order {
  readonly from: number
  readonly count: number
}

/** What came of them. */
export interface Done {
  readonly seeds: number
  readonly requests: number
  readonly failed: readonly Verdict[]
  /** Processor time of the thread, in microseconds. */
  readonly cpuUs: number
}

// Errors are a part of every world, and nobody reads where they came from.
Error.stackTraceLimit = 0

parentPort?.on('message', async ({ from, count }: Order) => {
  const before = process.threadCpuUsage()
  const failed: Verdict[] = []
  let [seeds, requests] = [0, 0]
  await simulateFrom(from, count, honest, (verdict) => {
    seeds += 1
    requests += verdict.requests
    if (verdict.problems.length > 0) failed.push(verdict)
    return false
  })
  const { user, system } = process.threadCpuUsage(before)
  parentPort?.postMessage({ seeds, requests, failed, cpuUs: user + system } satisfies Done)
})
