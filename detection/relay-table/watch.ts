import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { isRelayedCall } from '../wraps/relay.ts'
import { isStream } from '../wraps/stream.ts'
import type { Position } from './hows.ts'

/** Knows at each moment whether it is the time. */
export interface Watch {
  /** What has to be watched for it. */
  readonly wrap?: Wrap
  holds(call: Call, position: Position): boolean
  /** Something was changed in this request. */
  changed?(call: Call): void
}

/** What is known of a request when a node is about to be asked. */
interface Moment {
  readonly call: Call
  /** Of the requests that were relayed, from 1. */
  readonly number: number
  readonly underWay: number
  /** Whether it comes after a request whose nodes failed, or whose client left. */
  readonly afterFailure: boolean
  readonly afterLeft: boolean
  readonly isRepeated: boolean
}

/** Only the first request in which there is something to change. */
export function firstOnly(): Watch {
  let first: Call | undefined
  return {
    holds: (call) => first === undefined || first === call,
    changed(call) {
      first ??= call
    },
  }
}

/** Decides for each try of a relayed request when its node is about to be asked. */
export function watching(decide: (moment: Moment) => boolean): Watch {
  const decided = new WeakMap<Call, boolean>()
  const seen = new Set<string>()
  let number = 0
  let underWay = 0
  let afterFailure = false
  let afterLeft = false
  return {
    holds: (call) => decided.get(call) ?? false,
    wrap: {
      generate: (real) =>
        async function* (node, job, signal, call) {
          if (!isRelayedCall(call)) return yield* real(node, job, signal, call)
          const asked = JSON.stringify([job.messages, isStream(call)])
          number += 1
          underWay += 1
          decided.set(call, decide({ call, number, underWay, afterFailure, afterLeft, isRepeated: seen.has(asked) }))
          seen.add(asked)
          let isWhole = false
          try {
            const finish = yield* real(node, job, signal, call)
            isWhole = true
            return finish
          } finally {
            underWay -= 1
            afterLeft = call.left.aborted
            afterFailure = !isWhole && !afterLeft
          }
        },
    },
  }
}
