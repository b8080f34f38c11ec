import type { OperatorNode } from '../../network/node.ts'
import type { Bug } from '../bug.ts'

/** Nodes that are chosen wrongly. */
export const nodeBugs = {
  'down-node-chosen': {
    about: 'A node that is down is asked all the same.',
    registry: (real) => ({
      ...real,
      setState: (nodeId, state) => real.setState(nodeId, state === 'down' ? 'up' : state),
    }),
  },
  'choice-remembered': {
    about: 'The choice of a node is remembered for the next request, whatever has happened to the node.',
    registry: (real) => {
      const chosen = new Map<string, OperatorNode>()
      return {
        ...real,
        choose(modelId, tried) {
          const node = (tried?.size ?? 0) === 0 ? chosen.get(modelId) : undefined
          const found = node ?? real.choose(modelId, tried)
          if (found !== undefined) chosen.set(modelId, found)
          return found
        },
      }
    },
  },
  'failure-not-noted': {
    about: 'A node that cannot be reached is asked again at once.',
    health: (real) => ({ ...real, note: (nodeId, failure) => failure ?? real.note(nodeId, failure) }),
  },
  'recovery-not-noted': {
    about: 'A node that answers again stays lost.',
    health: (real) => ({ ...real, note: (nodeId, failure) => failure && real.note(nodeId, failure) }),
  },
  'same-node-tried-again': {
    about: 'A request that failed on a node may go to the same node again.',
    registry: (real) => ({ ...real, choose: (modelId) => real.choose(modelId) }),
  },
} as const satisfies Record<string, Bug>
