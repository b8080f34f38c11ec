import type { Activity } from './activity.ts'

/** What had been counted at a moment. A rate is the difference of two of them. */
interface PastCount {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly requests: number
  readonly tokens: number
}

/** As many as a chart of two minutes shows. */
export const pastCountsMax = 120

/** The counters of the last minutes, so that whoever begins to watch sees them at once. */
export interface PastCounters {
  /** Keeps what is counted now; to be called once a second. */
  note(): void
  /** The oldest first. */
  counts(): readonly PastCount[]
}

export function pastCounters({ counters }: Pick<Activity, 'counters'>, clock: { unixMs(): number }): PastCounters {
  const kept: PastCount[] = []
  return {
    note() {
      const { requests, tokens } = counters()
      kept.push({ at: clock.unixMs(), requests, tokens })
      if (kept.length > pastCountsMax) kept.shift()
    },
    counts: () => [...kept],
  }
}
