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

/** Among more nodes than this, two are drawn for a request in so many draws at most, so that it costs no more among a hundred thousand. */
const DRAWS_MAX = 16

export function nodeRegistry(nodes: readonly OperatorNode[], health: Health, chance: Prng): Registry {
  const states = new Map<string, NodeState>(nodes.map(({ id }) => [id, 'up']))
  const stateOf = ({ id }: OperatorNode): NodeState => states.get(id) ?? 'down'
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const byModel = nodesByModel(nodes)
  const nodesFor = (modelId: string): readonly OperatorNode[] => byModel.get(modelId) ?? []
  const isUp = (node: OperatorNode): boolean => stateOf(node) !== 'down'
  const isLive = (node: OperatorNode): boolean => isUp(node) && !health.isRested(node.id)

  /** Nodes that may be asked: of few nodes all, of many two that were drawn, and all where no draw met one. */
  function candidates(modelId: string, mayBeAsked: (node: OperatorNode) => boolean): readonly OperatorNode[] {
    const all = nodesFor(modelId)
    const drawn = new Set<OperatorNode>()
    if (all.length > DRAWS_MAX)
      for (let draw = 0; draw < DRAWS_MAX && drawn.size < 2; draw += 1) {
        const node = all[chance.below(all.length)]
        if (node !== undefined && mayBeAsked(node)) drawn.add(node)
      }
    return drawn.size > 0 ? [...drawn] : all.filter(mayBeAsked)
  }

  /** The power of two choices: nearly as good as comparing all, and idle nodes are not stampeded. */
  function lessBusy(some: readonly OperatorNode[]): OperatorNode | undefined {
    if (some.length < 2) return some[0]
    const first = chance.below(some.length)
    const step = 1 + chance.below(some.length - 1)
    const [one, other] = [some[first], some[(first + step) % some.length]]
    return (other?.load?.() ?? 0) < (one?.load?.() ?? 0) ? other : one
  }

  return {
    serves: (modelId) => nodesFor(modelId).some((node) => isUp(node) && !health.isLost(node.id)),
    choose(modelId, tried) {
      const isUntried = ({ id }: OperatorNode): boolean => tried?.has(id) !== true
      // A request that has failed once has nothing to lose: it may also ask a rested node.
      const isRetry = tried !== undefined && tried.size > 0
      const node =
        lessBusy(candidates(modelId, (one) => isLive(one) && isUntried(one))) ??
        (isRetry ? lessBusy(candidates(modelId, (one) => isUp(one) && isUntried(one))) : undefined)
      return node !== undefined && stateOf(node) === 'blackhole' ? silentNode(node) : node
    },
    nodesOf: (modelId) => nodesFor(modelId).map((node) => ({ id: node.id, state: stateOf(node) })),
    setState(nodeId, state) {
      if (states.has(nodeId)) states.set(nodeId, state)
    },
    async probe() {
      const probed = health.lost().map(async (id) => {
        const isBack = await byId
          .get(id)
          ?.probe?.()
          .then(
            () => true,
            () => false,
          )
        if (isBack === true) health.note(id, undefined)
      })
      await Promise.all(probed)
    },
  }
}

function nodesByModel(nodes: readonly OperatorNode[]): ReadonlyMap<string, readonly OperatorNode[]> {
  const byModel = new Map<string, OperatorNode[]>()
  for (const node of nodes)
    for (const modelId of node.serves) {
      const own = byModel.get(modelId)
      if (own === undefined) byModel.set(modelId, [node])
      else own.push(node)
    }
  return byModel
}
