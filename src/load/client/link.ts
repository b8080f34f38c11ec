import type { Duplex } from 'node:stream'
import { monotonicMs } from '../engine/monotonic.ts'
import type { Flight } from '../meter/flight.ts'
import type { CannonClient } from './autocannon-clients.ts'
import { type ConnectionEvents, discard } from './connection.ts'

type Open = (events: ConnectionEvents) => Duplex

/** A server closes a connection that was idle for long, and a request sent at that moment would fail for no fault of its. */
const idleMsMax = 4000
const pauseMs = { first: 20, max: 1000 }

/** The connection of one lane: opened when it is needed, with growing pauses while it is refused. */
export class Link {
  isConnected = false
  private readonly client: Pick<CannonClient, 'conn'>
  private readonly open: Open
  private socket: Duplex | undefined
  private connectAtMs = 0
  private freeAtMs = 0
  private refusals = 0
  /** Waiting for the connection. */
  private request: Buffer | undefined

  constructor(client: Pick<CannonClient, 'conn'>, open: Open) {
    this.client = client
    this.open = open
  }

  /** How long to wait before the next request, because connections are refused. */
  get backOffMs(): number {
    return this.refusals === 0 ? 0 : Math.max(0, this.freeAtMs + pauseAfter(this.refusals) - monotonicMs())
  }

  isLate(nowMs: number, connectMs: number): boolean {
    return !this.isConnected && this.socket !== undefined && nowMs - this.connectAtMs > connectMs
  }

  connect(events: ConnectionEvents): void {
    if (this.socket !== undefined) return
    this.connectAtMs = monotonicMs()
    this.socket = this.open(events)
    this.client.conn = this.socket
  }

  connected(): void {
    this.isConnected = true
    this.refusals = 0
    this.freeAtMs = monotonicMs()
  }

  refused(): void {
    this.disconnect()
    this.refusals += 1
    this.freeAtMs = monotonicMs()
  }

  /** Takes the next request to write. */
  load(request: Buffer): void {
    this.request = request
    if (this.isConnected && monotonicMs() - this.freeAtMs > idleMsMax) this.disconnect()
  }

  /** Writes the waiting request, which is that of this flight. */
  write(flight: Flight): void {
    if (this.request === undefined) return
    flight.sentAtMs = monotonicMs()
    flight.lastReadAtMs = flight.sentAtMs
    this.socket?.write(this.request)
    this.request = undefined
  }

  free(atMs: number): void {
    this.request = undefined
    this.freeAtMs = atMs
  }

  disconnect(): void {
    if (this.socket !== undefined) discard(this.socket)
    this.socket = undefined
    this.isConnected = false
  }
}

function pauseAfter(refusals: number): number {
  return Math.min(pauseMs.max, pauseMs.first * 2 ** (refusals - 1))
}
