import type { Stats } from './histogram.ts'

/** Figures at this moment. */
export interface Progress {
  readonly sent: number
  readonly inFlight: number
  readonly ok: number
  readonly bad: number
  /** So far, in milliseconds; NaN before the first. */
  readonly ttftP95: number
  readonly gapP99: number
  readonly lag: Stats
}
