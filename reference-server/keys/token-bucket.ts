import type { Clock } from '../clock.ts'

const MINUTE_MS = 60_000

/** Units that flow in evenly, up to a capacity of one minute's worth. It starts full. */
export interface TokenBucket {
  readonly perMinute: number
  /** Whole units available now, 0 when in debt. */
  remaining(): number
  /** Milliseconds until `count` units are available (or all, if it holds fewer), 0 when they are. */
  waitMs(count: number): number
  /** Takes units that were used, even beyond what is available: the rest becomes a debt. */
  take(count: number): void
  /** Gives back units that were taken and not used. */
  put(count: number): void
}

export function tokenBucket(perMinute: number, clock: Pick<Clock, 'nowMs'>): TokenBucket {
  /** In 1/60,000 of a unit, so that a whole millisecond brings a whole number of them. */
  const capacity = perMinute * MINUTE_MS
  let level = capacity
  let filledMs = clock.nowMs()

  const fill = (): void => {
    const nowMs = clock.nowMs()
    level = Math.min(capacity, level + (nowMs - filledMs) * perMinute)
    filledMs = nowMs
  }

  return {
    perMinute,
    remaining() {
      fill()
      return Math.max(0, Math.floor(level / MINUTE_MS))
    },
    waitMs(count) {
      fill()
      const wanted = Math.min(count, perMinute) * MINUTE_MS
      return Math.max(0, Math.ceil((wanted - level) / perMinute))
    },
    take(count) {
      fill()
      level -= count * MINUTE_MS
    },
    put(count) {
      fill()
      level = Math.min(capacity, level + count * MINUTE_MS)
    },
  }
}
