import { once } from 'node:events'
import type { Fragment, OperatorNode } from './node.ts'

const nothing: readonly Fragment[] = []

/** The node as it looks through a network that swallows everything: no answer, no error, no end. */
export function silentNode({ id, serves }: Pick<OperatorNode, 'id' | 'serves'>): OperatorNode {
  return {
    id,
    serves,
    async *generate(_job, signal) {
      if (!signal.aborted) await once(signal, 'abort')
      yield* nothing
      return 'stop'
    },
  }
}
