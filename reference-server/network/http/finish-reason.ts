import type { FinishReason } from '../node.ts'
import { NodeFailure } from '../node-failure.ts'

/** Why a node ended its reply, in the contract's words. Throws `NodeFailure` where it says that it failed. */
export function readFinishReason(reason: unknown): FinishReason {
  if (reason === 'error' || reason === 'abort')
    throw new NodeFailure('broken', `the node ended its reply with ${reason}`)
  return reason === 'length' ? 'length' : 'stop'
}
