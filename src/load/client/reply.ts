import { type Outcome, statusOutcome } from '../figures/outcome.ts'
import type { Flight } from '../meter/flight.ts'
import type { Sampling } from '../meter/sampling.ts'
import { StreamMeter } from '../meter/stream-meter.ts'
import { JsonReply } from './json-reply.ts'
import { ResponseParser, type ResponseSink } from './response-parser.ts'

/** Called with how a reply ended. */
export interface ReplyEvents {
  /** It is complete. `reusable`: whether the connection may carry another. */
  replied(reusable: boolean): void
  giveUp(outcome: Outcome, reason: string): void
}

export interface ReplyOptions {
  /** Whether event streams are asked for. */
  readonly stream: boolean
  readonly sampling: Sampling
}

/** Judges and times the replies of one connection, one after the other, while their bytes come. */
export class Reply implements ResponseSink {
  readonly parser = new ResponseParser(this)
  readonly meter: StreamMeter
  /** The request that is being answered. */
  flight: Flight | undefined
  isEventStream = false
  /** When the bytes that are being read came. */
  nowMs = 0
  private readonly asksStream: boolean
  private readonly events: ReplyEvents
  private readonly json = new JsonReply()

  constructor({ stream, sampling }: ReplyOptions, events: ReplyEvents) {
    this.asksStream = stream
    this.meter = new StreamMeter(sampling)
    this.events = events
  }

  expect(flight: Flight): void {
    this.flight = flight
    this.parser.reset()
  }

  head(status: number, contentType: string): void {
    const { flight } = this
    if (flight === undefined) return
    flight.headAtMs = this.nowMs
    flight.status = status
    this.json.begin()
    const outcome = statusOutcome(status)
    if (outcome !== undefined) flight.outcome = outcome
    const essence = contentType.split(';')[0]?.trim().toLowerCase()
    const isStreamDue = this.asksStream && outcome === undefined
    this.isEventStream = isStreamDue && essence === 'text/event-stream'
    if (isStreamDue && !this.isEventStream) {
      flight.outcome = 'framing'
      flight.reason =
        essence === 'application/json'
          ? 'JSON, and no stream: --stream off asks for JSON replies'
          : `a stream with the content type "${essence}"`
    }
    if (this.isEventStream) this.meter.begin(flight)
    else this.meter.gaps.clear()
  }

  body(bytes: Uint8Array, from: number, to: number): void {
    if (this.isEventStream) this.meter.feed(bytes as Buffer, from, to, this.nowMs)
    else this.json.add(bytes, from, to)
  }

  end(reusable: boolean): void {
    if (this.flight !== undefined) {
      if (this.isEventStream) this.meter.finish()
      else this.json.judge(this.flight)
    }
    this.events.replied(reusable)
  }

  broken(reason: string): void {
    this.events.giveUp('framing', reason)
  }
}
