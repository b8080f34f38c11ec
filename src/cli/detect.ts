import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { faults, variants } from '../../reference-server/faults/index.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { type SealedResult, sealResult } from '../check/sealed.ts'
import { examine, type Setting } from './examine.ts'

/** One gateway to hold against all checks: a fault, a legal variant, or several variants at once. */
export interface Subject {
  readonly kind: 'fault' | 'variant' | 'combination'
  readonly name: string
  /** Names of the entries to wrap around the seams. */
  readonly entries: readonly string[]
  readonly setting: Setting
}

/** What the checks said of a subject. */
export interface Examined {
  readonly subject: Subject
  readonly results: readonly Pick<SealedResult, 'id' | 'verdict' | 'exchanges'>[]
  /** Why the gateway could not be judged at all. */
  readonly problem?: string
}

interface Orders {
  readonly isDetection: true
  readonly seed: number
  readonly runs: number
}

/** Every gateway leaves much behind that is gone a second later: room for it saves collections. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 }

/** How many threads examine, and how many gateways each of them has at a time. */
export interface Crew {
  readonly threads: number
  /** Of any kind. */
  readonly lanes: number
  /** Besides, for gateways with nodes of ours alone: these wait more than nine tenths of their time. */
  readonly nodeLanes: number
}

/** A run waits most of its time; gateways of one thread share the code that it has compiled. */
const fullCrew: Crew = { threads: availableParallelism(), lanes: 4, nodeLanes: 2 }

/** One gateway a core. */
export const calmCrew: Crew = { threads: availableParallelism(), lanes: 1, nodeLanes: 0 }

/** Examines subjects in worker threads and tells of each as it is done; what it is given in return is examined next. */
export async function detect(
  subjects: readonly Subject[],
  seed: number,
  runs: number,
  onExamined: (examined: Examined) => readonly Subject[],
  { threads, lanes, nodeLanes }: Crew = fullCrew,
): Promise<void> {
  const hasNodes = ({ setting }: Subject): boolean => setting.withNodes === true
  const plain = subjects.filter((subject) => !hasNodes(subject))
  // The slowest of these stand last in their lists: begun first, they are not what all wait for at the end.
  const withNodes = subjects.filter(hasNodes).reverse()
  const orders: Orders = { isDetection: true, seed, runs }
  const work = async (): Promise<void> => {
    let thread = startThread(orders)
    const warm = Promise.withResolvers<void>()
    const lane = async (next: () => Subject | undefined): Promise<void> => {
      for (let subject = next(); subject !== undefined; subject = next()) {
        if (thread.isDead()) thread = startThread(orders)
        for (const more of onExamined(await thread.examine(subject))) (hasNodes(more) ? withNodes : plain).unshift(more)
        warm.resolve()
      }
    }
    const anyLanes = Array.from({ length: lanes }, () => lane(() => plain.shift() ?? withNodes.shift()))
    // What is judged by its time does not come first: a new thread is slow.
    await Promise.race([warm.promise, ...anyLanes])
    await Promise.all([...anyLanes, ...Array.from({ length: nodeLanes }, () => lane(() => withNodes.shift()))])
    await thread.end()
  }
  await Promise.all(Array.from({ length: Math.min(threads, subjects.length) }, work))
}

interface Thread {
  examine(subject: Subject): Promise<Examined>
  isDead(): boolean
  end(): Promise<unknown>
}

function startThread(orders: Orders): Thread {
  const worker = new Worker(new URL(import.meta.url), { workerData: orders, resourceLimits })
  const waiting = new Map<string, { readonly subject: Subject; readonly tell: (examined: Examined) => void }>()
  let isDead = false
  worker.on('message', (examined: Examined) => waiting.get(examined.subject.name)?.tell(examined))
  // One of its gateways killed it: which one shows when each is looked at again.
  worker.on('error', (error) => {
    isDead = true
    const problem = error instanceof Error ? error.message : String(error)
    for (const { subject, tell } of waiting.values()) tell({ subject, results: [], problem })
  })
  return {
    examine(subject) {
      const { promise, resolve } = Promise.withResolvers<Examined>()
      waiting.set(subject.name, { subject, tell: resolve })
      worker.postMessage(subject)
      return promise.finally(() => waiting.delete(subject.name))
    },
    isDead: () => isDead,
    end: () => worker.terminate(),
  }
}

async function examineSubject(subject: Subject, { seed, runs }: Orders): Promise<Examined> {
  try {
    const { results, redactor } = await examine({
      wraps: subject.entries.map(wrapOf),
      seed,
      runs,
      ...subject.setting,
    })
    return {
      subject,
      // Only what failed needs its evidence; the rest would be megabytes.
      results: results
        .map((result) => sealResult(result, redactor, false))
        .map(({ id, verdict, exchanges }) => ({ id, verdict, exchanges: exchanges.slice(-1) })),
    }
  } catch (error) {
    return {
      subject,
      results: [],
      problem: error instanceof Error ? error.message : String(error),
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
  // Thousands of errors are part of the work here, and traces of them would be a tenth of it.
  Error.stackTraceLimit = 0
  port.on('message', async (subject: Subject) => port.postMessage(await examineSubject(subject, given)))
}

function isOrders(value: unknown): value is Orders {
  return typeof value === 'object' && value !== null && 'isDetection' in value
}
