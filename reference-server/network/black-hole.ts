import { once } from 'node:events'
import type { OperatorNode } from './node.ts'

/** The node as it looks behind a network that swallows everything: no answer, no error, no end. */
export function blackHole({ id, serves }: OperatorNode): OperatorNode {
  return {
    id,
    serves,
    // biome-ignore lint/correctness/useYield: a black hole yields nothing, that is its point.
    async *generate(_job, signal) {
      if (!signal.aborted) await once(signal, 'abort')
      return 'stop'
    },
  }
}
