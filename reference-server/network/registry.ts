import type { Health } from './health.ts'
import type { OperatorNode } from './node.ts'
import type { Prng } from './prng.ts'
import { silentNode } from './silent-node.ts'

/** `blackhole`: the node takes requests and answers none of them. */
export type NodeState = 'up' | 'down' | 'blackhole'

/** Which nodes are live, and what they serve. */
export interface Registry {
  /** Whether a node of the model is up and, as far as is known, answers. */
  serves(modelId: string): boolean
  /** A live node of the model that has not been tried, the less busy of two; undefined when there is none. */
  choose(modelId: string, tried?: ReadonlySet<string>): OperatorNode | undefined
  /** The nodes of a model, live or not. */
  nodesOf(modelId: string): readonly { readonly id: string; readonly state: NodeState }[]
  setState(nodeId: string, state: NodeState): void
  /** Probes lost nodes, so that they come back without a client's request. */
  probe(): Promise<void>
}

export function nodeRegistry(nodes: readonly OperatorNode[], health: Health, chance: Prng): Registry {
  const states = new Map<string, NodeState>(nodes.map(({ id }) => [id, 'up']))
  const stateOf = ({ id }: OperatorNode): NodeState => states.get(id) ?? 'down'
  const upNodes = (modelId: string): OperatorNode[] =>
    nodes.filter((node) => node.serves.has(modelId) && stateOf(node) !== 'down')
  const liveNodes = (modelId: string): OperatorNode[] => upNodes(modelId).filter(({ id }) => !health.isRested(id))

  /** The power of two choices: nearly as good as comparing all, and idle nodes are not stampeded. */
  function lessBusy(candidates: readonly OperatorNode[]): OperatorNode | undefined {
    if (candidates.length < 2) return candidates[0]
    const first = chance.below(candidates.length)
    const step = 1 + chance.below(candidates.length - 1)
    const [one, other] = [candidates[first], candidates[(first + step) % candidates.length]]
    return (other?.load?.() ?? 0) < (one?.load?.() ?? 0) ? other : one
  }

  return {
    serves: (modelId) => upNodes(modelId).some(({ id }) => !health.isLost(id)),
    choose(modelId, tried) {
      const isUntried = ({ id }: OperatorNode): boolean => tried?.has(id) !== true
      // A request that has failed once has nothing to lose: it may also ask a rested node.
      const isRetry = tried !== undefined && tried.size > 0
      const node =
        lessBusy(liveNodes(modelId).filter(isUntried)) ??
        (isRetry ? lessBusy(upNodes(modelId).filter(isUntried)) : undefined)
      return node !== undefined && stateOf(node) === 'blackhole' ? silentNode(node) : node
    },
    nodesOf: (modelId) =>
      nodes.filter(({ serves }) => serves.has(modelId)).map((node) => ({ id: node.id, state: stateOf(node) })),
    setState(nodeId, state) {
      if (states.has(nodeId)) states.set(nodeId, state)
    },
    async probe() {
      const lost = new Set(health.lost())
      await Promise.all(
        nodes
          .filter(({ id }) => lost.has(id))
          .map(async ({ id, probe }) => {
            const isBack = await probe?.().then(
              () => true,
              () => false,
            )
            if (isBack === true) health.note(id, undefined)
          }),
      )
    },
  }
}
