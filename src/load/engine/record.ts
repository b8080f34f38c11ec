import type { Progress } from '../figures/progress.ts'
import { Tally } from '../figures/tally.ts'
import type { TallyResult } from '../figures/tally-result.ts'
import type { Flight } from '../meter/flight.ts'
import type { GapLog } from '../meter/gap-log.ts'
import type { Sampling } from '../meter/sampling.ts'
import type { LoadPlan } from '../schedule/plan.ts'
import { OwnError, type OwnErrorResult } from './own-error.ts'
import { StampError, type StampErrorResult } from './stamp-error.ts'

export interface RecordResult extends TallyResult, OwnErrorResult, StampErrorResult {}

/** What one engine records of its run: what the gateway did, and how late the engine itself was. */
export class RunRecord {
  readonly tally: Tally
  readonly onContent: Sampling['onContent']
  private readonly ownError = new OwnError()
  private readonly stampError: StampError | undefined

  constructor({ warmupMs, durationMs, objectives, stamped }: LoadPlan, seed: number) {
    this.tally = new Tally({ steadyFromMs: warmupMs, steadyToMs: durationMs, objectives, seed })
    this.stampError = stamped ? new StampError() : undefined
    this.onContent = this.stampError?.onContent
  }

  /** The run begins, at this moment of the monotonic clock. */
  start(startAtMs: number): void {
    this.tally.startAtMs = startAtMs
    this.ownError.start()
  }

  landed(flight: Flight, gaps: GapLog): void {
    if (!Number.isNaN(flight.sentAtMs)) this.ownError.lateness.record(flight.sentAtMs - flight.intendedAtMs)
    this.tally.landed(flight, gaps)
  }

  progress(): Progress {
    return { ...this.tally.progress(), lag: this.ownError.lag.stats() }
  }

  /** Ends the measurement of the engine itself. */
  stop(): void {
    this.ownError.stop()
  }

  result(): RecordResult {
    return { ...this.tally.result(), ...this.ownError.result(), ...this.stampError?.result() }
  }
}
