import type { Clock } from '../clock.ts'
import type { FinishReason, Fragment, Job, NodeTalk, OperatorNode } from './node.ts'
import { NodeFailure } from './node-failure.ts'
import { simulateNode } from './simulated-node.ts'

/** What an operator can make a node do wrong. */
export const nodeFaults = ['refuse', 'error', 'slow', 'cut'] as const
export type NodeFault = (typeof nodeFaults)[number]

/** What a node has been told to do instead of its work. */
export interface NodeOrders {
  readonly fault?: NodeFault
  /** The text that it gives to everybody. */
  readonly script?: string
}

export interface OrderedNode extends OperatorNode {
  orders: NodeOrders
}

export const SLOW_MS = 3000
export const FRAGMENTS_BEFORE_CUT = 3

/** A node that takes orders. Without orders it is the node itself, at no cost. */
export function orderedNode(node: OperatorNode, clock: Clock): OrderedNode {
  const ordered: OrderedNode = {
    ...node,
    orders: {},
    generate(job, signal, talk) {
      const { fault, script } = ordered.orders
      if (fault === undefined && script === undefined) return node.generate(job, signal, talk)
      const speaker =
        script === undefined
          ? node
          : simulateNode(clock, { id: node.id, serves: [...node.serves], seed: 0, pace: 'instant', says: script })
      return fault === undefined ? speaker.generate(job, signal, talk) : failing(fault, speaker, job, signal, talk)
    },
  }
  return ordered

  async function* failing(
    fault: NodeFault,
    speaker: OperatorNode,
    job: Job,
    signal: AbortSignal,
    talk: NodeTalk,
  ): AsyncGenerator<Fragment, FinishReason> {
    if (fault === 'refuse') throw new NodeFailure('unreachable', 'the node refuses connections, as it was told')
    if (fault === 'error') throw new NodeFailure('status', 'the node answers 500, as it was told')
    if (fault === 'slow') {
      await clock.sleep(SLOW_MS, signal)
      return yield* speaker.generate(job, signal, talk)
    }
    let left = FRAGMENTS_BEFORE_CUT
    for await (const fragment of speaker.generate(job, signal, talk)) {
      if (left === 0) break
      left -= 1
      yield fragment
    }
    throw new NodeFailure('broken', 'the node cut its reply, as it was told')
  }
}
