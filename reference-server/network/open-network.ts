import type { Clock } from '../clock.ts'
import type { Model } from '../gateway/models.ts'
import { type Health, nodeHealth } from './health.ts'
import type { HttpNodeOptions } from './http/http-node.ts'
import type { OperatorNode } from './node.ts'
import type { NodeLimits } from './node-failure.ts'
import { type OrderedNode, orderedNode } from './ordered-node.ts'
import type { PaceName } from './pace.ts'
import { prng } from './prng.ts'
import { nodeRegistry, type Registry } from './registry.ts'
import { simulateNode } from './simulated-node.ts'

export interface NetworkOptions {
  readonly models: readonly Model[]
  /** Servers of the chat-completions format. */
  readonly nodes: readonly HttpNodeOptions[]
  /** Gives a simulated node to each model that no node of `nodes` serves. */
  readonly simulated: boolean
  readonly limits: NodeLimits
  readonly seed: number
  readonly pace: PaceName
}

export interface Network {
  readonly nodes: readonly OrderedNode[]
  readonly registry: Registry
  close(): Promise<void>
}

/** How often rested nodes are probed. */
const PROBE_MS = 500

/** The nodes behind a gateway, probed until it closes. Throws `RangeError` for a node that serves an unlisted model. */
export async function openNetwork(
  clock: Clock,
  { models, nodes, simulated, limits, seed, pace }: NetworkOptions,
): Promise<Network> {
  const listed = new Set(models.map(({ id }) => id))
  const unlisted = nodes.flatMap((node) => node.models).find((id) => !listed.has(id))
  if (unlisted !== undefined) throw new RangeError(`a node serves "${unlisted}", which is not among the models`)
  const health = nodeHealth(clock)
  const real = nodes.length === 0 ? [] : await openHttpNodes(nodes, limits, health)
  const served = new Set(nodes.flatMap((node) => node.models))
  const unserved = models.filter(({ id }) => simulated && !served.has(id))
  const pretended = unserved.map(({ id }) => simulateNode(clock, { id: `sim-${id}`, serves: [id], seed, pace }))
  const all = [...real, ...pretended].map((node) => orderedNode(node, clock))
  const registry = nodeRegistry(all, health, prng(seed))
  const endProbing = clock.every(PROBE_MS, () => void registry.probe())
  return {
    nodes: all,
    registry,
    async close() {
      endProbing()
      await Promise.all(all.map((node) => node.close?.()))
    },
  }
}

/** Loaded only where it is used: a gateway in somebody's tests starts without an HTTP client, which takes 10 MB. */
async function openHttpNodes(
  nodes: readonly HttpNodeOptions[],
  limits: NodeLimits,
  health: Health,
): Promise<readonly OperatorNode[]> {
  const { httpNode } = await import('./http/http-node.ts')
  return nodes.map((node) => httpNode(node, limits, health.note))
}
