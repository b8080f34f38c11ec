import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'

/** How fast simulated nodes are: at once, or like a model of their size. */
export type PaceName = 'instant' | 'profile'

/** Waits before a token. `position` counts the tokens of one reply from 0. */
export type Pace = (position: number, signal: AbortSignal) => Promise<void> | undefined

interface Timing {
  readonly firstTokenMs: number
  readonly gapMs: number
}

const usual: Timing = { firstTokenMs: 60, gapMs: 10 }
const timings: ReadonlyMap<string, Timing> = new Map([
  ['small', usual],
  ['medium', { firstTokenMs: 80, gapMs: 12 }],
  ['large', { firstTokenMs: 150, gapMs: 18 }],
])

/** How many tokens an instant reply sends before others get their turn. */
const TURN_TOKENS = 64

/** The pace of one reply, which starts now. */
export function paceOf(name: PaceName, model: string, clock: Clock): Pace {
  return name === 'instant' ? instant : timed(timings.get(model) ?? usual, clock)
}

const instant: Pace = (position) => (position > 0 && position % TURN_TOKENS === 0 ? nextTurn() : undefined)

/** On absolute deadlines, so that late timers do not add up. */
function timed({ firstTokenMs, gapMs }: Timing, clock: Clock): Pace {
  const startMs = clock.nowMs()
  return (position, signal) => {
    const delayMs = startMs + firstTokenMs + position * gapMs - clock.nowMs()
    return delayMs > 0 ? clock.sleep(delayMs, signal) : undefined
  }
}
