import { setTimeout as sleep } from 'node:timers/promises'
import { chatCompletionSchema } from '../../contract/chat-completion.ts'
import { mismatches } from '../../contract/schema.ts'
import { streamChunkSchema } from '../../contract/stream-chunk.ts'
import type { Lane } from '../client/lane.ts'
import type { Progress } from '../figures/progress.ts'
import { createChance } from '../schedule/chance.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { openLanes, watchLanes } from './lanes.ts'
import { createLoop } from './loops.ts'
import { monotonicMs } from './monotonic.ts'
import { type RecordResult, RunRecord } from './record.ts'
import { createRequests } from './requests.ts'
import { type Share, workloadOf } from './workload.ts'

export interface EngineResult extends RecordResult {
  /** Requests that were due and never sent. */
  readonly unsent: number
  readonly connectionsUsed: number
}

export interface Engine {
  /** Connects before the start, so that no request pays for connecting. */
  warm(): void
  /** Sends from this moment of the monotonic clock on, and resolves when all requests have landed. Call it once. */
  run(startAtMs: number): Promise<EngineResult>
  progress(): Progress
  /** Starts no more requests; those in flight may finish. */
  stop(): void
}

const warmMax = 256

/** Puts one share of a plan on a gateway, in the calling thread. */
export function createEngine(plan: LoadPlan, share: Share): Engine {
  const chance = createChance(plan.seed ^ (0x9e37 * (share.shard + 1)))
  const requests = createRequests(plan, share, chance)
  const workload = workloadOf(plan, share)
  const record = new RunRecord(plan, plan.seed + share.shard)
  const over = Promise.withResolvers<void>()
  let stoppedAtMs = Number.POSITIVE_INFINITY
  const { lanes, close } = openLanes(plan, {
    connections: workload.connections,
    firstBody: requests.body(0),
    draw: chance.unit,
    record,
    free,
  })
  const loop = createLoop(plan, workload, { lanes, send, onSpent: endIfOver })

  function send(lane: Lane, number: number, intendedAtMs: number): void {
    const flight = requests.flight(number, intendedAtMs)
    record.tally.sent(monotonicMs())
    lane.send(flight, requests.body(flight.index))
  }

  function free(lane: Lane): void {
    loop.free(lane)
    endIfOver()
  }

  function endIfOver(): void {
    if (loop.isSpent && record.tally.inFlight === 0) over.resolve()
  }

  function abandon(): void {
    loop.stop()
    for (const lane of lanes) if (lane.isBusy) lane.giveUp('abandoned')
    over.resolve()
  }

  return {
    warm() {
      warmSchemas()
      for (const lane of workload.times === undefined ? lanes : lanes.slice(0, warmMax)) lane.warm()
    },
    stop() {
      stoppedAtMs = Math.min(stoppedAtMs, monotonicMs())
      loop.stop()
    },
    progress: () => record.progress(),
    async run(startAtMs) {
      await sleep(Math.max(0, startAtMs - monotonicMs()))
      record.start(startAtMs)
      const watch = watchLanes(lanes, (nowMs) => {
        endIfOver()
        if (nowMs > Math.min(stoppedAtMs, startAtMs + plan.durationMs) + plan.drainMs) abandon()
      })
      loop.start(startAtMs)
      await over.promise
      watch.stop()
      record.stop()
      await close()
      const unsent = Number.isFinite(stoppedAtMs) ? 0 : loop.unsent
      return { ...record.result(), unsent, connectionsUsed: loop.connectionsUsed }
    },
  }
}

/** Compiles the schemas before the first reply needs them. */
function warmSchemas(): void {
  mismatches(streamChunkSchema, {})
  mismatches(chatCompletionSchema, {})
}
