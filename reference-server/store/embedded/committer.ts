import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Row } from '../rows.ts'
import { StoreUnavailable } from '../store.ts'
import { groupCommits } from './group-commits.ts'
import { type Group, sqliteEngine } from './sqlite-engine.ts'
import type { Statement } from './sqlite-sql.ts'

/** Commits groups of statements. Groups that arrive during a commit share the next one. */
export interface Committer {
  /** The rows of the group's last statement, once all of it is durable. */
  commit(...group: readonly Statement[]): Promise<readonly Row[]>
  close(): Promise<void>
}

/** Nothing in the thread outlives its commit: more room would only be filled before it is swept. */
const YOUNG_MB_MAX = 4

interface Orders {
  readonly sqliteFile: string
}

/** A database in a file, written by its own thread: an fsync stalls no stream. */
export async function fileCommitter(file: string): Promise<Committer> {
  const orders: Orders = { sqliteFile: file }
  const worker = new Worker(new URL(import.meta.url), {
    workerData: orders,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB_MAX },
  })
  const [ready]: unknown[] = await once(worker, 'message')
  if (ready !== 'ready') {
    await worker.terminate()
    throw new Error(String(ready))
  }
  const commits = groupCommits((groups) => worker.postMessage(groups), setImmediate)
  worker.on('message', commits.answered)
  worker.on('error', ({ message }) => commits.failed(new StoreUnavailable(`the ledger's thread failed: ${message}`)))

  return {
    commit: commits.commit,
    async close() {
      while (!commits.isIdle()) await new Promise((resolve) => setImmediate(resolve))
      const gone = once(worker, 'exit')
      worker.postMessage('close')
      await gone
    },
  }
}

/** What this module does in the thread. */
function serveCommits(port: NonNullable<typeof parentPort>, file: string): void {
  let engine: ReturnType<typeof sqliteEngine>
  try {
    engine = sqliteEngine(file)
  } catch (error) {
    port.postMessage(error instanceof Error ? error.message : String(error))
    return
  }
  port.on('message', (order: readonly Group[] | 'close') => {
    if (order === 'close') {
      engine.close()
      port.close()
    } else port.postMessage(engine.commit(order))
  })
  port.postMessage('ready')
}

const given: unknown = workerData
if (!isMainThread && parentPort !== null && isOrders(given)) serveCommits(parentPort, given.sqliteFile)

function isOrders(value: unknown): value is Orders {
  return typeof value === 'object' && value !== null && 'sqliteFile' in value
}
