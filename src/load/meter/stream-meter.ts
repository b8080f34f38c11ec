import { Carry } from './carry.ts'
import { ChunkTemplate } from './chunk-template.ts'
import { EventJudge } from './event-judge.ts'
import { EventReader } from './event-reader.ts'
import type { Flight } from './flight.ts'
import { GapLog } from './gap-log.ts'
import type { Sampling } from './sampling.ts'

/**
 * Times the events of one stream after another, and has them judged. An event's moment is that of the read that
 * completed it.
 */
export class StreamMeter {
  readonly gaps = new GapLog()
  private readonly onContent: Sampling['onContent']
  private readonly template = new ChunkTemplate()
  private readonly events = new EventReader()
  private readonly judge: EventJudge
  private readonly carry = new Carry()
  private flight: Flight | undefined

  constructor(sampling: Sampling) {
    this.onContent = sampling.onContent
    this.judge = new EventJudge(sampling, this.template)
  }

  begin(flight: Flight): void {
    this.flight = flight
    this.gaps.clear()
    this.events.begin()
    this.judge.begin(flight)
    this.carry.length = 0
  }

  /** Bytes of the body, all read at one moment. */
  feed(bytes: Buffer, from: number, to: number, atMs: number): void {
    const { carry, flight } = this
    if (flight === undefined) return
    const at = this.events.skipLineEnd(bytes, from, to)
    if (carry.length === 0) this.scan(bytes, at, to, atMs, flight)
    else {
      this.keep(bytes, at, to)
      const { length } = carry
      carry.length = 0
      this.scan(carry.bytes, 0, length, atMs, flight)
    }
  }

  /** The body is complete. */
  finish(): void {
    this.judge.finish()
  }

  private scan(bytes: Buffer, from: number, to: number, atMs: number, flight: Flight): void {
    let at = from
    while (at < to) {
      let end = this.template.match(bytes, at, to)
      if (end !== -1) {
        const { contentFrom, contentTo } = this.template
        this.onContent?.(bytes.toString('latin1', contentFrom, contentTo), atMs, flight)
        count(flight, this.gaps, contentTo > contentFrom, atMs)
      } else {
        end = this.events.read(bytes, at, to)
        if (end === -1) break
        if (this.events.hasData && this.events.dataTo > this.events.dataFrom)
          count(flight, this.gaps, this.judge.judge(bytes, at, end, this.events, atMs), atMs)
      }
      at = end
    }
    if (at < to) this.keep(bytes, at, to)
  }

  private keep(bytes: Buffer, from: number, to: number): void {
    if (!this.carry.keep(bytes, from, to)) this.judge.chunks.fail('framing', 'an event of more than 4 MB')
  }
}

function count(flight: Flight, gaps: GapLog, hasContent: boolean, atMs: number): void {
  flight.events += 1
  if (flight.events === 1) flight.firstEventAtMs = atMs
  if (!hasContent) return
  flight.contentEvents += 1
  if (flight.contentEvents === 1) flight.firstContentAtMs = atMs
  else {
    if (flight.contentEvents === 2) flight.secondContentAtMs = atMs
    gaps.push(atMs - flight.lastContentAtMs)
  }
  flight.lastContentAtMs = atMs
}
