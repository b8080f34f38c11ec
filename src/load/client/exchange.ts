import { monotonicMs } from '../engine/monotonic.ts'
import { type Outcome, statusOutcome } from '../figures/outcome.ts'
import type { Flight } from '../meter/flight.ts'
import type { ConnectionEvents } from './connection.ts'
import type { Link } from './link.ts'
import { Reply, type ReplyEvents, type ReplyOptions } from './reply.ts'

export interface ExchangeOptions extends ReplyOptions {
  /** Called for each read, with the number of events that it completed. */
  read(events: number, atMs: number): void
}

/** Follows one request after the other over one link until each has landed: by its reply, or by losing the connection. */
export class Exchange implements ConnectionEvents, ReplyEvents {
  readonly reply: Reply
  private readonly link: Link
  private readonly options: ExchangeOptions
  private readonly landed: (flight: Flight) => void

  constructor(link: Link, options: ExchangeOptions, landed: (flight: Flight) => void) {
    this.link = link
    this.options = options
    this.landed = landed
    this.reply = new Reply(options, this)
  }

  connected(): void {
    this.link.connected()
    this.reply.parser.reset()
    if (this.reply.flight !== undefined) this.link.write(this.reply.flight)
  }

  bytes(bytes: Buffer, length: number): void {
    const { reply } = this
    const { flight } = reply
    const atMs = monotonicMs()
    reply.nowMs = atMs
    const eventsBefore = flight?.events ?? 0
    if (flight !== undefined) flight.lastReadAtMs = atMs
    reply.parser.execute(bytes, length)
    this.options.read((flight?.events ?? 0) - eventsBefore, atMs)
    const isGone = flight !== undefined && flight === reply.flight && flight.contentEvents >= flight.leavesAfter
    if (isGone) this.giveUp('abortedByUs', '')
  }

  ended(): void {
    this.reply.nowMs = monotonicMs()
    if (!this.reply.parser.closed()) this.giveUp('truncated', 'the connection was closed inside the reply')
  }

  failed(error: Error): void {
    if (this.link.isConnected) this.giveUp('reset', codeOf(error))
    else this.refused(codeOf(error))
  }

  refused(reason: string): void {
    this.link.refused()
    this.land('connect', reason)
  }

  replied(reusable: boolean): void {
    if (reusable) this.reply.parser.reset()
    else this.link.disconnect()
    this.land(this.reply.flight?.outcome ?? 'ok', '')
  }

  giveUp(outcome: Outcome, reason: string): void {
    this.link.disconnect()
    this.land(outcome, reason)
  }

  private land(outcome: Outcome, reason: string): void {
    const { flight, nowMs } = this.reply
    if (flight === undefined) return
    const freeAtMs = monotonicMs()
    this.reply.flight = undefined
    this.link.free(freeAtMs)
    settle(flight, outcome, reason)
    flight.endedAtMs = nowMs > flight.sentAtMs ? nowMs : freeAtMs
    this.landed(flight)
  }
}

/** A reply that already said how it failed keeps that outcome when it breaks off. */
function settle(flight: Flight, outcome: Outcome, reason: string): void {
  const isRefused = statusOutcome(flight.status || 200) !== undefined
  if (isRefused || flight.outcome === 'inBandError' || flight.outcome === outcome) return
  flight.outcome = outcome
  flight.reason = reason
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
