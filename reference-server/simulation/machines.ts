import type { Clock } from '../clock.ts'
import type { Health } from '../network/health.ts'
import type { Fragment, OperatorNode } from '../network/node.ts'
import { NodeFailure } from '../network/node-failure.ts'
import type { Draw } from './draw.ts'

/** How a machine of the network is doing. */
type Mood = 'well' | 'slow' | 'gone' | 'refusing' | 'hanging' | 'cutting'

/** A machine of the network, which every gateway knows as a node. */
export interface Machine {
  readonly id: string
  readonly serves: ReadonlySet<string>
  mood: Mood
}

/** Within the limits of a node's silence, in ms. */
const QUICK_MS = 20
const SLOW_MS = 250

/** How a gateway sees a machine. It notes outcomes as it does for servers that it asks over HTTP. */
export function nodeOf(machine: Machine, clock: Clock, draw: Draw, note: Health['note']): OperatorNode {
  const { id, serves } = machine
  let inFlight = 0
  const pause = (signal?: AbortSignal): Promise<void> =>
    clock.sleep(draw.delayMs(machine.mood === 'slow' ? SLOW_MS : QUICK_MS), signal)

  /** Says how the request begins, or fails. */
  async function begin(signal: AbortSignal): Promise<void> {
    await pause(signal)
    if (machine.mood === 'gone') throw new NodeFailure('unreachable', 'nobody is there')
    if (machine.mood === 'refusing') throw new NodeFailure('status', 'the node answered 500')
    if (machine.mood === 'hanging') await clock.sleep(Number.MAX_SAFE_INTEGER, signal)
  }

  return {
    id,
    serves,
    load: () => inFlight,
    async *generate({ tokensMax }, signal) {
      inFlight += 1
      let hasBegun = false
      try {
        await begin(signal)
        for (let left = draw.between(1, tokensMax); left > 0; ) {
          const tokens = Math.min(left, draw.between(1, 3))
          left -= tokens
          if (!hasBegun) note(id, undefined)
          hasBegun = true
          yield { text: 'w'.repeat(tokens), tokens } satisfies Fragment
          if (draw.isOneOf(2)) await pause(signal)
          if (machine.mood === 'cutting') throw new NodeFailure('broken', 'the reply was not finished')
        }
        return draw.isOneOf(2) ? 'stop' : 'length'
      } catch (error) {
        const failure = signal.aborted ? signal.reason : error
        if (failure instanceof NodeFailure && !hasBegun) note(id, failure)
        throw error
      } finally {
        inFlight -= 1
      }
    },
    async probe() {
      await pause()
      if (machine.mood === 'gone' || machine.mood === 'hanging') throw new NodeFailure('unreachable', 'nobody is there')
    },
  }
}
