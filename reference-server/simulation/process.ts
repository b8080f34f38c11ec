import type { Clock } from '../clock.ts'
import { createDrain } from '../gateway/drain.ts'
import { honestSeams } from '../gateway/honest-seams.ts'
import { type Seams, type Wrap, wrapSeams } from '../gateway/seams.ts'
import { keyLimits } from '../keys/limits.ts'
import { createPatience } from '../keys/patience.ts'
import type { PicoUsd, Rate } from '../ledger/money.ts'
import { nodeHealth } from '../network/health.ts'
import { prng } from '../network/prng.ts'
import { type NodeState, nodeRegistry } from '../network/registry.ts'
import type { Store } from '../store/store.ts'
import { askedIn, wire } from './client.ts'
import { nodeOf } from './machines.ts'
import { models, type Process, type Scene } from './scene.ts'
import type { Life } from './timeline.ts'
import { watchLimits } from './watch/limits.ts'
import { watchNodes } from './watch/nodes.ts'

const PROBE_MS = 500
/** Short, so that little time has to pass; the rules are those of the long ones. */
const nodeLimits = { connectMs: 300, headMs: 400, firstTokenMs: 400, lateTokenMs: 400, gapMs: 400 }
/** A dollar for a token, so that sums are the same in both. */
const rate = 1_000_000_000_000n as Rate
const drain = createDrain()

/** A process that is watched. */
export interface Watched extends Process {
  setState(nodeId: string, state: NodeState): void
  /** What is wrong once no request is under way. */
  atRest(): readonly string[]
}

/** Starts a gateway process of the real parts, with the scene's bug in it. */
export function openProcess(scene: Scene, name: string, life: Life, clock: Clock, opened: Store): Watched {
  const { bug, problems, draw } = scene
  const nodes = watchNodes(scene)
  const health = nodes.health((bug.health ?? same)(nodeHealth(clock)))
  const operators = scene.machines.map((machine) => nodeOf(machine, clock, draw, health.note))
  const registry = (bug.registry ?? same)(nodeRegistry(operators, health, prng(scene.seed)))
  const store = bug.store?.(opened, clock) ?? opened
  const limits = (bug.limits ?? same)(keyLimits((bug.limitsClock ?? same)(clock)), clock)
  const limitWatch = watchLimits(scene, limits)
  const parts = {
    models,
    store,
    limits,
    patience: createPatience(clock),
    registry,
    nodeLimits,
    heartbeatMs: 0,
    clock,
    drain,
    service: 'simulated',
    rate,
  }
  const onBug = (error: unknown): void => void problems.push(`${name} failed: ${error}`)
  const seams: Seams = wrapSeams(
    honestSeams({ ...parts, freeCredit: 0n as PicoUsd, onBug }, () => seams),
    [bug.seams?.(clock) ?? {}, wire, watchKeys(scene), nodes.wrap, limitWatch.wrap],
  )
  clock.every(PROBE_MS, () => void registry.probe())
  return {
    name,
    life,
    clock,
    store,
    limits,
    registry,
    seams,
    setState(nodeId, state) {
      nodes.told(nodeId, state)
      registry.setState(nodeId, state)
    },
    atRest: limitWatch.atRest,
  }
}

function same<T>(real: T): T {
  return real
}

/** Nobody gets in with a key once its owner was told that it is deleted. */
function watchKeys({ problems }: Scene): Wrap {
  return {
    findKey: (real) => (presented, call) => {
      const record = real(presented, call)
      const { key, number } = askedIn(call)
      if (record !== undefined && key.isDeleted) problems.push(`request ${number} got in with a deleted key`)
      if (record === undefined && !key.isDeleting) problems.push(`request ${number} was refused with a live key`)
      return record
    },
  }
}
