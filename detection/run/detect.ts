import { availableParallelism } from 'node:os'
import type { Subject } from './subjects.ts'
import { type Examined, type Orders, startThread } from './worker.ts'

/** How many threads examine, and how many gateways each of them has at a time. */
export interface Crew {
  readonly threads: number
  /** For gateways of any kind. */
  readonly lanes: number
  /** Further ones, only for gateways with our nodes, which wait more than nine tenths of their time. */
  readonly nodeLanes: number
}

/** A run mostly waits, and the gateways of one thread share the code that it has compiled. */
const fullCrew: Crew = { threads: availableParallelism(), lanes: 5, nodeLanes: 8 }

/** One gateway per core. */
export const calmCrew: Crew = { threads: availableParallelism(), lanes: 1, nodeLanes: 0 }

/** Examines subjects in worker threads and reports each as soon as it is done. */
export async function detect(
  subjects: readonly Subject[],
  orders: Orders,
  onExamined: (examined: Examined) => void,
  { threads, lanes, nodeLanes }: Crew = fullCrew,
): Promise<void> {
  const hasNodes = ({ setting }: Subject): boolean => setting.withNodes === true
  // The slowest come first: started last, they would hold up the end.
  const bySlowness = (one: Subject, other: Subject): number => slownessOf(other) - slownessOf(one)
  const plain = subjects.filter((subject) => !hasNodes(subject)).toSorted(bySlowness)
  const withNodes = subjects.filter(hasNodes).toSorted(bySlowness)
  const work = async (): Promise<void> => {
    let thread = startThread(orders)
    const warm = Promise.withResolvers<void>()
    const lane = async (next: () => Subject | undefined): Promise<void> => {
      for (let subject = next(); subject !== undefined; subject = next()) {
        if (thread.isDead()) thread = startThread(orders)
        onExamined(await thread.examine(subject))
        warm.resolve()
      }
    }
    const anyLanes = Array.from({ length: lanes }, () => lane(() => plain.shift() ?? withNodes.shift()))
    // Gateways that are judged by time do not come first, because a new thread is slow.
    await Promise.race([warm.promise, ...anyLanes])
    await Promise.all([...anyLanes, ...Array.from({ length: nodeLanes }, () => lane(() => withNodes.shift()))])
    await thread.end()
  }
  await Promise.all(Array.from({ length: Math.min(threads, subjects.length) }, work))
}

/** Names of gateways that take their time, or that refuse for the moment what is then asked again. */
const slow = /^engine-|slow|now-and-then/

/** A fault before few checks mostly takes no time, but some hang, which takes a minute to tell. */
function slownessOf({ setting, selected, entries }: Subject): number {
  const isSlow = setting.long === true || entries.some((name) => slow.test(name))
  return (isSlow ? 4 : 0) + (selected === undefined ? 0 : 2) + (setting.load === true ? 1 : 0)
}
