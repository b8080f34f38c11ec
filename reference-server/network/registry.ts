import type { OperatorNode } from './node.ts'

/** Who is alive, and who serves what. */
export interface Registry {
  serves(modelId: string): boolean
  /** The live nodes of a model in turn, or undefined when there is none. */
  choose(modelId: string): OperatorNode | undefined
  setLive(nodeId: string, isLive: boolean): void
}

export function nodeRegistry(nodes: readonly OperatorNode[]): Registry {
  const live = new Set(nodes.map(({ id }) => id))
  let turn = 0
  const liveNodes = (modelId: string): OperatorNode[] =>
    nodes.filter(({ id, serves }) => live.has(id) && serves.has(modelId))
  return {
    serves: (modelId) => liveNodes(modelId).length > 0,
    choose(modelId) {
      const candidates = liveNodes(modelId)
      turn += 1
      return candidates[turn % candidates.length]
    },
    setLive(nodeId, isLive) {
      if (isLive) live.add(nodeId)
      else live.delete(nodeId)
    },
  }
}
