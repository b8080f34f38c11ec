import { blackHole } from './black-hole.ts'
import type { OperatorNode } from './node.ts'

/** `blackhole`: the node takes requests and answers none of them. */
export type NodeState = 'up' | 'down' | 'blackhole'

/** Who is alive, and who serves what. */
export interface Registry {
  serves(modelId: string): boolean
  /** The live nodes of a model in turn, or undefined when there is none. */
  choose(modelId: string): OperatorNode | undefined
  /** The nodes of a model, live or not. */
  nodesOf(modelId: string): readonly { readonly id: string; readonly state: NodeState }[]
  setState(nodeId: string, state: NodeState): void
}

export function nodeRegistry(nodes: readonly OperatorNode[]): Registry {
  const states = new Map<string, NodeState>(nodes.map(({ id }) => [id, 'up']))
  let turn = 0
  const stateOf = ({ id }: OperatorNode): NodeState => states.get(id) ?? 'down'
  const liveNodes = (modelId: string): OperatorNode[] =>
    nodes.filter((node) => node.serves.has(modelId) && stateOf(node) !== 'down')
  return {
    serves: (modelId) => liveNodes(modelId).length > 0,
    choose(modelId) {
      const candidates = liveNodes(modelId)
      turn += 1
      const node = candidates[turn % candidates.length]
      return node !== undefined && stateOf(node) === 'blackhole' ? blackHole(node) : node
    },
    nodesOf: (modelId) =>
      nodes.filter(({ serves }) => serves.has(modelId)).map((node) => ({ id: node.id, state: stateOf(node) })),
    setState(nodeId, state) {
      if (states.has(nodeId)) states.set(nodeId, state)
    },
  }
}
