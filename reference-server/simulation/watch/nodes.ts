import type { Call, Wrap } from '../../gateway/seams.ts'
import type { Health } from '../../network/health.ts'
import type { NodeState } from '../../network/registry.ts'
import { askedIn } from '../client.ts'
import type { Scene } from '../scene.ts'

/** A node that could not be reached is left alone at least this long, unless it answers. */
const REST_MS = 50

/** What one process was told and has seen of its nodes, and whether it chooses accordingly. */
export interface NodeWatch {
  readonly wrap: Wrap
  /** Sees outcomes before the process does. */
  health(real: Health): Health
  told(nodeId: string, state: NodeState): void
}

export function watchNodes(scene: Scene): NodeWatch {
  const { timeline, problems, machines } = scene
  const down = new Set<string>()
  /** Nodes whose last request failed, and when they were last out of reach. */
  const failed = new Map<string, number>()
  const sentTo = new WeakMap<Call, Set<string>>()

  function look(nodeId: string, call: Call): void {
    const { number } = askedIn(call)
    const before = sentTo.get(call) ?? new Set()
    const restedMs = timeline.nowMs() - (failed.get(nodeId) ?? Number.NEGATIVE_INFINITY)
    if (down.has(nodeId)) problems.push(`request ${number} went to ${nodeId}, which is down`)
    if (before.has(nodeId)) problems.push(`request ${number} went to ${nodeId} twice`)
    if (before.size === 0 && restedMs < REST_MS)
      problems.push(`request ${number} went first to ${nodeId}, which was out of reach ${restedMs} ms before`)
    sentTo.set(call, before.add(nodeId))
  }

  return {
    wrap: {
      chooseNode: (real) => (model, call) => {
        const node = real(model, call)
        const live = machines.find(
          ({ id, serves }) => serves.has(model.id) && !down.has(id) && !failed.has(id) && !call.tried.has(id),
        )
        if (node === undefined && live !== undefined)
          problems.push(`request ${askedIn(call).number} was refused although ${live.id} was there`)
        return node
      },
      generate: (real) => (node, job, signal, call) => {
        look(node.id, call)
        scene.say?.(`request ${askedIn(call).number} goes to ${node.id}`)
        return real(node, job, signal, call)
      },
    },
    health: (real) => ({
      ...real,
      note(nodeId, failure) {
        if (failure === undefined) failed.delete(nodeId)
        else if (failure.kind === 'unreachable' || failure.kind === 'silent') failed.set(nodeId, timeline.nowMs())
        else if (!failed.has(nodeId)) failed.set(nodeId, Number.NEGATIVE_INFINITY)
        real.note(nodeId, failure)
      },
    }),
    told(nodeId, state) {
      if (state === 'down') down.add(nodeId)
      else down.delete(nodeId)
    },
  }
}
