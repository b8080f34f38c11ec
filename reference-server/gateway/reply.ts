import type { FinishReason, Fragment, Job, OperatorNode } from '../network/node.ts'
import { ClientLeft, modelUnavailable } from './gateway-error.ts'
import type { Call, Seams } from './seams.ts'

/** A node's reply while it is read, and how many completion tokens came so far. */
export interface Reply {
  readonly completionTokens: number
  next(): Promise<IteratorResult<Fragment, FinishReason>>
  /** Lets the node go, whether or not its reply was read to the end. */
  close(): Promise<void>
}

/** `next` throws `ClientLeft`, or `GatewayError` 503 when the node breaks off. */
export function startReply(seams: Seams, node: OperatorNode, job: Job, call: Call): Reply {
  const fragments = seams.generate(node, job, call.left, call)
  let completionTokens = 0
  return {
    get completionTokens() {
      return completionTokens
    },
    async next() {
      const step = await fragments.next().catch(() => undefined)
      if (call.left.aborted) throw new ClientLeft()
      if (step === undefined) throw modelUnavailable()
      if (!step.done) completionTokens += step.value.tokens
      return step
    },
    async close() {
      await fragments.return('stop').catch(() => undefined)
    },
  }
}
