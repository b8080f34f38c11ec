import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Row } from '../rows.ts'
import { StoreUnavailable } from '../store.ts'
import { type Group, type Outcome, sqliteEngine } from './sqlite-engine.ts'
import type { Statement } from './sqlite-sql.ts'

/** Commits groups of statements. Groups that arrive during a commit share the next one. */
export interface Committer {
  /** The rows of the group's last statement, once all of it is durable. */
  commit(...group: readonly Statement[]): Promise<readonly Row[]>
  close(): Promise<void>
}

interface Orders {
  readonly sqliteFile: string
}

interface Waiting {
  readonly group: Group
  readonly resolve: (rows: readonly Row[]) => void
  readonly reject: (error: Error) => void
}

/** A database in a file, written by its own thread: an fsync stalls no stream. */
export async function fileCommitter(file: string): Promise<Committer> {
  const orders: Orders = { sqliteFile: file }
  const worker = new Worker(new URL(import.meta.url), { workerData: orders })
  const [ready]: unknown[] = await once(worker, 'message')
  if (ready !== 'ready') {
    await worker.terminate()
    throw new Error(String(ready))
  }
  let waiting: Waiting[] = []
  let underWay: readonly Waiting[] = []
  let isScheduled = false
  let failure: Error | undefined

  const sendAll = (): void => {
    isScheduled = false
    if (underWay.length > 0 || waiting.length === 0) return
    underWay = waiting
    waiting = []
    worker.postMessage(underWay.map(({ group }) => group))
  }
  worker.on('message', (outcomes: readonly Outcome[]) => {
    const answered = underWay
    underWay = []
    sendAll()
    for (const [index, { resolve, reject }] of answered.entries()) settle(outcomes[index], resolve, reject)
  })
  worker.on('error', (error) => {
    failure = new StoreUnavailable(`the ledger's thread failed: ${error.message}`)
    for (const { reject } of [...underWay, ...waiting]) reject(failure)
    underWay = []
    waiting = []
  })

  return {
    commit(...group) {
      if (failure !== undefined) return Promise.reject(failure)
      return new Promise((resolve, reject) => {
        waiting.push({ group, resolve, reject })
        if (isScheduled) return
        isScheduled = true
        setImmediate(sendAll)
      })
    },
    async close() {
      while (failure === undefined && (underWay.length > 0 || waiting.length > 0))
        await new Promise((resolve) => setImmediate(resolve))
      const gone = once(worker, 'exit')
      worker.postMessage('close')
      await gone
    },
  }
}

function settle(outcome: Outcome | undefined, resolve: Waiting['resolve'], reject: Waiting['reject']): void {
  try {
    resolve(rowsOf(outcome))
  } catch (error) {
    reject(error instanceof Error ? error : new Error(String(error)))
  }
}

function rowsOf(outcome: Outcome | undefined): readonly Row[] {
  if (outcome === undefined) throw new StoreUnavailable('the ledger gave no answer')
  if (!('error' in outcome)) return outcome.rows
  if (outcome.isBug) throw new Error(`the ledger refused: ${outcome.error}`)
  throw new StoreUnavailable(`the ledger cannot be written: ${outcome.error}`)
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
