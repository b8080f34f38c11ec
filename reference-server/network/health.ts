import type { Clock } from '../clock.ts'
import type { NodeFailure } from './node-failure.ts'

const COOL_DOWN_MS = 50
const COOL_DOWN_MS_MAX = 4000
/** A node that answers wrongly may only dislike that one request. */
const REFUSALS_MAX = 5

/** What is known of nodes from the requests that they were sent. */
export interface Health {
  note(nodeId: string, failure: NodeFailure | undefined): void
  /** Whether a node that failed is rested: for a while it is not asked. */
  isRested(nodeId: string): boolean
  /** Whether a node that had to be rested has not answered since. The end of its rest says nothing about it. */
  isLost(nodeId: string): boolean
  /** Every node of which that is so. */
  lost(): readonly string[]
}

interface Sickness {
  /** Failures in a row. */
  count: number
  untilMs: number
}

/** Rests an unreachable node at once and a failing one after some failures, each time for twice as long. A refusal is none. */
export function nodeHealth(clock: Pick<Clock, 'nowMs'>): Health {
  const sick = new Map<string, Sickness>()
  const hasRested = ({ untilMs }: Sickness): boolean => untilMs !== Number.NEGATIVE_INFINITY
  return {
    note(nodeId, failure) {
      if (failure?.kind === 'refused') return
      if (failure === undefined) {
        sick.delete(nodeId)
        return
      }
      const sickness = sick.get(nodeId) ?? { count: 0, untilMs: Number.NEGATIVE_INFINITY }
      sickness.count += 1
      const isGone = failure.kind === 'unreachable' || failure.kind === 'silent'
      const strikes = isGone ? sickness.count : sickness.count - REFUSALS_MAX
      if (strikes > 0) sickness.untilMs = clock.nowMs() + Math.min(COOL_DOWN_MS_MAX, COOL_DOWN_MS * 2 ** (strikes - 1))
      sick.set(nodeId, sickness)
    },
    isRested: (nodeId) => (sick.get(nodeId)?.untilMs ?? Number.NEGATIVE_INFINITY) > clock.nowMs(),
    isLost: (nodeId) => {
      const sickness = sick.get(nodeId)
      return sickness !== undefined && hasRested(sickness)
    },
    lost: () => [...sick].filter(([, sickness]) => hasRested(sickness)).map(([nodeId]) => nodeId),
  }
}
