import type { CheckContext } from '../../check/context.ts'
import type { NodeRecord } from '../../target/nodes.ts'

/** Known gateways rest a node that failed for half a minute. */
const restMsMax = 60_000
/** What two clocks may differ by. */
const skewMs = 2000

/** Whether the gateway may refuse whatever it is asked because it rests our nodes: one was made to fail shortly before it began to. */
export async function mayRestNodes({ target, nodes }: CheckContext): Promise<boolean> {
  const sinceMs = target.refusedSinceMs() ?? Date.now()
  const failures = (await nodes.scripted()).filter(failed).map(({ arrivedAtMs }) => arrivedAtMs)
  return [...failures, ...target.nodesTakenDownAtMs()].some(
    (atMs) => atMs <= sinceMs + skewMs && atMs >= sinceMs - restMsMax,
  )
}

function failed({ status, outcome }: NodeRecord): boolean {
  return status === undefined || status >= 400 || outcome === 'cut-by-node'
}
