import { createHistogram } from '../figures/histogram.ts'
import type { Flight } from '../meter/flight.ts'

/** The engine's error against stamped texts; histograms are serialized. */
export interface StampErrorResult {
  /** How long texts took from the server's write to the engine's read. */
  readonly stampLag?: string
  /** How far gaps are off from the gaps between stamps. */
  readonly stampGapError?: string
}

/** Compares the moments of reads with the moments that the server wrote into the texts. */
export class StampError {
  private readonly lag = createHistogram()
  private readonly gapError = createHistogram()

  readonly onContent = (text: string, atMs: number, flight: Flight): void => {
    const lagMs = atMs - Number.parseFloat(text)
    this.lag.record(lagMs)
    if (!Number.isNaN(flight.lastLagMs)) this.gapError.record(Math.abs(lagMs - flight.lastLagMs))
    flight.lastLagMs = lagMs
  }

  result(): StampErrorResult {
    return { stampLag: this.lag.serialize(), stampGapError: this.gapError.serialize() }
  }
}
