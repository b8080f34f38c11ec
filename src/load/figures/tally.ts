import type { Flight } from '../meter/flight.ts'
import type { GapLog } from '../meter/gap-log.ts'
import { CompleteReplies, type CompleteRepliesOptions } from './complete-replies.ts'
import { Endings } from './endings.ts'
import type { Progress } from './progress.ts'
import { countOk, Seconds } from './seconds.ts'
import type { TallyResult } from './tally-result.ts'

/** Counts everything that one engine sees. Only complete replies that keep the contract enter the latencies. */
export class Tally {
  inFlight = 0
  /** Of the run, on the monotonic clock. */
  startAtMs = 0
  private readonly seconds = new Seconds()
  private readonly endings = new Endings()
  private readonly replies: CompleteReplies
  private reads = 0
  private lastEndMs = 0

  constructor(options: CompleteRepliesOptions) {
    this.replies = new CompleteReplies(options)
  }

  sent(atMs: number): void {
    this.inFlight += 1
    this.seconds.at(atMs - this.startAtMs).sent += 1
  }

  /** Counts one read, and the events that it completed. */
  read(events: number, atMs: number): void {
    this.reads += 1
    if (events > 0) this.seconds.at(atMs - this.startAtMs).events += events
  }

  landed(flight: Flight, gaps: GapLog): void {
    const { startAtMs } = this
    const outcome = flight.outcome ?? 'ok'
    const endMs = flight.endedAtMs - startAtMs
    const second = this.seconds.at(endMs)
    this.inFlight -= 1
    this.lastEndMs = Math.max(this.lastEndMs, endMs)
    this.endings.add(outcome, flight, startAtMs)
    if (outcome === 'ok') {
      const { ttft } = this.replies.add(flight, gaps, flight.intendedAtMs - startAtMs)
      countOk(second, ttft, gaps.largestMs)
    } else second.bad += 1
  }

  progress(): Omit<Progress, 'lag'> {
    const { landed, counts } = this.endings
    const { ok } = counts
    return { sent: landed + this.inFlight, inFlight: this.inFlight, ok, bad: landed - ok, ...this.replies.progress() }
  }

  result(): TallyResult {
    const { landed, counts, reasons, sends, firstSendMs } = this.endings
    return {
      ...this.replies.finish(),
      outcomes: { sent: landed, ...counts },
      seconds: this.seconds.rows(),
      reasons,
      reads: this.reads,
      firstSendMs,
      sends,
      lastEndMs: this.lastEndMs,
    }
  }
}
