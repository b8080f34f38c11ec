import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { faults, variants } from '../../reference-server/faults/index.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { type SealedResult, sealResult } from '../check/sealed.ts'
import { examine, type nodesFor } from './examine.ts'

/** One gateway to hold against all checks: a fault, a legal variant, or several variants at once. */
export interface Subject {
  readonly kind: 'fault' | 'variant' | 'combination'
  readonly name: string
  /** Names of the entries to wrap around the seams. */
  readonly entries: readonly string[]
  /** What is behind the gateway. */
  readonly nodes: ReturnType<typeof nodesFor>
}

/** What the checks said of a subject. */
export interface Examined {
  readonly subject: Subject
  readonly results: readonly Pick<SealedResult, 'id' | 'verdict' | 'exchanges'>[]
  /** Why the gateway could not be judged at all. */
  readonly problem?: string
  readonly durationMs: number
}

interface Orders {
  readonly isDetection: true
  readonly seed: number
  readonly runs: number
}

/** Every gateway leaves much behind that is gone a second later: room for it saves collections. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 }

/** Examines subjects in worker threads, four a core unless told otherwise, for a run waits most of its time, and tells of each as it is done. */
export async function detect(
  subjects: readonly Subject[],
  seed: number,
  runs: number,
  onExamined: (examined: Examined) => void,
  workers = availableParallelism() * 4,
): Promise<void> {
  const waiting = [...subjects]
  const orders: Orders = { isDetection: true, seed, runs }
  const count = Math.max(1, Math.min(workers, subjects.length))
  const work = async (): Promise<void> => {
    let worker = new Worker(new URL(import.meta.url), { workerData: orders, resourceLimits })
    for (let subject = waiting.shift(); subject !== undefined; subject = waiting.shift()) {
      const examined = await answerOf(worker, subject)
      // A worker that died is one gateway's doing: it is named, and the others go on.
      if (examined.problem !== undefined) {
        await worker.terminate()
        worker = new Worker(new URL(import.meta.url), { workerData: orders, resourceLimits })
      }
      onExamined(examined)
    }
    await worker.terminate()
  }
  await Promise.all(Array.from({ length: count }, work))
}

function answerOf(worker: Worker, subject: Subject): Promise<Examined> {
  const start = performance.now()
  return new Promise((resolve) => {
    const died = (error: unknown): void => {
      const problem = error instanceof Error ? error.message : String(error)
      resolve({ subject, results: [], problem, durationMs: performance.now() - start })
    }
    worker.once('error', died)
    worker.once('message', (examined: Examined) => {
      worker.off('error', died)
      resolve(examined)
    })
    worker.postMessage(subject)
  })
}

async function examineSubject(subject: Subject, { seed, runs }: Orders): Promise<Examined> {
  const start = performance.now()
  try {
    const { results, redactor } = await examine({
      wraps: subject.entries.map(wrapOf),
      seed,
      runs,
      ...subject.nodes,
    })
    return {
      subject,
      // Only what failed needs its evidence; the rest would be megabytes.
      results: results
        .map((result) => sealResult(result, redactor, false))
        .map(({ id, verdict, exchanges }) => ({ id, verdict, exchanges: exchanges.slice(-1) })),
      durationMs: performance.now() - start,
    }
  } catch (error) {
    return {
      subject,
      results: [],
      problem: error instanceof Error ? error.message : String(error),
      durationMs: performance.now() - start,
    }
  }
}

function wrapOf(name: string): Wrap {
  const entry = faults[name] ?? variants[name]
  if (entry === undefined) throw new Error(`there is no fault and no variant ${name}`)
  return entry.wrap()
}

const given: unknown = workerData
if (!isMainThread && parentPort !== null && isOrders(given)) {
  const port = parentPort
  port.on('message', async (subject: Subject) => port.postMessage(await examineSubject(subject, given)))
}

function isOrders(value: unknown): value is Orders {
  return typeof value === 'object' && value !== null && 'isDetection' in value
}
