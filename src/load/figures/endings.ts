import type { Flight } from '../meter/flight.ts'
import { type Outcome, outcomes } from './outcome.ts'

const reasonsMax = 3

/** How requests ended, for what reasons, and when they were sent. */
export class Endings {
  readonly counts: Record<Outcome, number>
  /** The first few reasons of each outcome that is not ok. */
  readonly reasons: Partial<Record<Outcome, string[]>> = {}
  /** When the first and the last request with each outcome were sent, counted from the start of the run. */
  readonly sends: Partial<Record<Outcome, readonly [firstMs: number, lastMs: number]>> = {}

  constructor() {
    this.counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  }

  get landed(): number {
    return outcomes.reduce((sum, outcome) => sum + this.counts[outcome], 0)
  }

  get firstSendMs(): number {
    const first = Math.min(...Object.values(this.sends).map(([firstMs]) => firstMs))
    return Number.isFinite(first) ? first : 0
  }

  add(outcome: Outcome, { sentAtMs, reason }: Flight, startAtMs: number): void {
    this.counts[outcome] += 1
    if (!Number.isNaN(sentAtMs)) this.keepSend(outcome, sentAtMs - startAtMs)
    if (outcome !== 'ok') this.keepReason(outcome, reason)
  }

  private keepSend(outcome: Outcome, atMs: number): void {
    const [first, last] = this.sends[outcome] ?? [atMs, atMs]
    this.sends[outcome] = [Math.min(first, atMs), Math.max(last, atMs)]
  }

  private keepReason(outcome: Outcome, reason: string): void {
    const known = this.reasons[outcome] ?? []
    this.reasons[outcome] = known
    if (reason !== '' && known.length < reasonsMax && !known.includes(reason)) known.push(reason)
  }
}
