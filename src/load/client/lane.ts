import type { Duplex } from 'node:stream'
import type { Outcome } from '../figures/outcome.ts'
import type { Flight } from '../meter/flight.ts'
import type { GapLog } from '../meter/gap-log.ts'
import type { Limits } from '../schedule/plan.ts'
import type { CannonClient } from './autocannon-clients.ts'
import type { ConnectionEvents } from './connection.ts'
import { Exchange, type ExchangeOptions } from './exchange.ts'
import { Link } from './link.ts'
import { overdue } from './overdue.ts'

export interface LaneOptions extends ExchangeOptions {
  readonly limits: Limits
  open(events: ConnectionEvents): Duplex
  /** The flight ended. Its gaps are valid until the next one begins. */
  landed(lane: Lane, flight: Flight, gaps: GapLog): void
}

/** One client of the load: it sends one request after the other over its own connection, and enforces their time limits. */
export class Lane {
  private readonly client: CannonClient
  private readonly limits: Limits
  private readonly link: Link
  private readonly exchange: Exchange

  constructor(client: CannonClient, options: LaneOptions) {
    this.client = client
    this.limits = options.limits
    this.link = new Link(client, options.open)
    this.exchange = new Exchange(this.link, options, (flight) =>
      options.landed(this, flight, this.exchange.reply.meter.gaps),
    )
    client.parser = this.exchange.reply.parser
  }

  get isBusy(): boolean {
    return this.exchange.reply.flight !== undefined
  }

  /** How long to wait before the next request, because connections are refused. */
  get backOffMs(): number {
    return this.link.backOffMs
  }

  /** Connects without a request, so that the first one does not pay for connecting. */
  warm(): void {
    this.link.connect(this.exchange)
  }

  send(flight: Flight, body: string): void {
    this.exchange.reply.expect(flight)
    this.client.setBody(body)
    this.link.load(this.client.getRequestBuffer())
    if (this.link.isConnected) this.link.write(flight)
    else this.link.connect(this.exchange)
  }

  /** Enforces the time limits. */
  watch(nowMs: number): void {
    const { flight, isEventStream } = this.exchange.reply
    if (this.link.isLate(nowMs, this.limits.connectMs)) this.exchange.refused('no connection in time')
    if (!this.link.isConnected || flight === undefined) return
    const limit = overdue(flight, isEventStream, this.limits, nowMs)
    if (limit === 'complete') this.exchange.reply.end(false)
    else if (limit !== undefined) this.giveUp(limit)
  }

  giveUp(outcome: Outcome): void {
    this.exchange.giveUp(outcome, '')
  }

  close(): void {
    this.link.disconnect()
    this.client.destroy()
  }
}
