import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { CheckId } from '../../src/check/check-ids.ts'
import type { SerializedResult } from '../../src/check/result.ts'
import { sawFailure } from '../../src/check/verdict.ts'
import { isRecord } from '../../src/json.ts'
import { ignoreLeftRequests } from '../../src/run/left-requests.ts'
import { givenFor, nodeDialectOf, wrapsNamed } from '../catalogue.ts'
import { examine } from './examine.ts'
import type { Subject } from './subjects.ts'

/** How the checks judged a subject. */
export interface Examined {
  readonly subject: Subject
  readonly results: readonly Pick<SerializedResult, 'id' | 'verdict'>[]
  /** Why the gateway could not be judged at all. */
  readonly problem?: string
}

/** What the random parts of checks are drawn from, and how many runs they get. */
export interface Orders {
  readonly seed: number
  /** The most runs of a property. */
  readonly runs: number
}

/** A thread that examines several gateways at a time. */
export interface Thread {
  examine(subject: Subject): Promise<Examined>
  isDead(): boolean
  end(): Promise<unknown>
}

/** Every gateway makes much garbage that is short-lived: room for it saves collections. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 }

export function startThread(orders: Orders): Thread {
  const worker = new Worker(new URL(import.meta.url), { workerData: { detection: orders }, resourceLimits })
  const waiting = new Map<string, { readonly subject: Subject; readonly tell: (examined: Examined) => void }>()
  let isDead = false
  worker.on('message', (examined: Examined) => waiting.get(examined.subject.name)?.tell(examined))
  // One of its gateways killed it. Which one shows when each is examined again.
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
  const { kind, setting, selected, enough, entries } = subject
  const look = (ids?: Subject['selected']) =>
    examine({
      wraps: wrapsNamed(entries),
      nodeDialect: nodeDialectOf(entries),
      given: givenFor(entries),
      seed,
      runs,
      ...setting,
      ...(ids !== undefined && { selected: ids }),
    })
  try {
    let results = await look(selected)
    // A fault that shows only in the traffic of other checks needs all of them.
    const hasNoticed = (id: CheckId): boolean =>
      results.some((result) => result.id === id && sawFailure(result.verdict))
    if (kind === 'fault' && enough === undefined && selected?.some((id) => !hasNoticed(id))) results = await look()
    // The exchanges stay here: they would be gigabytes.
    return { subject, results: results.map(({ id, verdict }) => ({ id, verdict })) }
  } catch (error) {
    return { subject, results: [], problem: error instanceof Error ? error.message : String(error) }
  }
}

if (!isMainThread && parentPort !== null && isRecord(workerData) && 'detection' in workerData) {
  const port = parentPort
  const orders = workerData['detection'] as Orders
  ignoreLeftRequests()
  // Thousands of errors are part of the work here, and their stack traces would be a tenth of it.
  Error.stackTraceLimit = 0
  port.on('message', async (subject: Subject) => port.postMessage(await examineSubject(subject, orders)))
}
