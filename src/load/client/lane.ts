import type { Duplex } from 'node:stream'
import { chatCompletionSchema } from '../../contract/chat-completion.ts'
import { departures } from '../../contract/schema.ts'
import { monotonicMs } from '../engine/monotonic.ts'
import { type Outcome, statusOutcome } from '../figures/outcome.ts'
import type { Flight } from '../meter/flight.ts'
import { type Sampling, StreamMeter } from '../meter/stream-meter.ts'
import type { Limits } from '../schedule/plan.ts'
import type { CannonClient } from './autocannon-clients.ts'
import type { ConnectionEvents } from './connection.ts'
import { ResponseParser, type ResponseSink } from './response-parser.ts'

export interface LaneOptions {
  readonly stream: boolean
  readonly limits: Limits
  readonly sampling: Sampling
  open(events: ConnectionEvents): Duplex
  /** The flight ended; its gaps are in the meter until the next one begins. */
  landed(lane: Lane, flight: Flight): void
  /** One read, and how many events it completed. */
  read(events: number, atMs: number): void
}

/** A server closes what was idle for long; a request that meets it on the way would fail for nothing. */
const idleMsMax = 4000
const replyBytesMax = 8 * 1024 * 1024
const reasonBytesMax = 300
const backOffMs = { first: 20, max: 1000 }

/** One connection of the load: it carries one request after the other, and judges and times their replies. */
export class Lane implements ResponseSink, ConnectionEvents {
  readonly meter: StreamMeter
  private readonly client: CannonClient
  private readonly options: LaneOptions
  private readonly parser: ResponseParser
  private socket: Duplex | undefined
  private isConnected = false
  private connectAtMs = 0
  private freeAtMs = 0
  private refusals = 0
  private flight: Flight | undefined
  private request: Buffer | undefined
  private isEventStream = false
  private reply: Buffer[] = []
  private replyBytes = 0
  private nowMs = 0

  constructor(client: CannonClient, options: LaneOptions) {
    this.client = client
    this.options = options
    this.meter = new StreamMeter(options.sampling)
    this.parser = new ResponseParser(this)
    client.parser = this.parser
  }

  get isBusy(): boolean {
    return this.flight !== undefined
  }

  /** How long this lane is better left alone, since its connections fail. */
  get backOffMs(): number {
    if (this.refusals === 0) return 0
    const pause = Math.min(backOffMs.max, backOffMs.first * 2 ** (this.refusals - 1))
    return Math.max(0, this.freeAtMs + pause - monotonicMs())
  }

  /** Connects without a request, so that the first does not pay for it. */
  warm(): void {
    if (this.socket === undefined) this.connect()
  }

  send(flight: Flight, body: string): void {
    this.flight = flight
    this.client.setBody(body)
    this.request = this.client.getRequestBuffer()
    const nowMs = monotonicMs()
    if (this.isConnected && nowMs - this.freeAtMs > idleMsMax) this.disconnect()
    if (this.isConnected) this.write()
    else if (this.socket === undefined) this.connect()
  }

  /** Looks at the time limits. */
  watch(nowMs: number): void {
    const { flight } = this
    const { limits } = this.options
    if (!this.isConnected) {
      if (this.socket !== undefined && nowMs - this.connectAtMs > limits.connectMs)
        this.refused('no connection in time')
      return
    }
    if (flight === undefined) return
    const sinceSend = nowMs - flight.sentAtMs
    if (sinceSend > limits.totalMs) this.giveUp('totalTimeout')
    else if (Number.isNaN(flight.headAtMs)) {
      if (sinceSend > limits.headMs) this.giveUp('headTimeout')
    } else if (this.isEventStream && flight.contentEvents === 0 && Number.isNaN(flight.doneAtMs)) {
      if (sinceSend > limits.firstContentMs) this.giveUp('firstContentTimeout')
    } else if (nowMs - flight.lastReadAtMs > limits.idleMs) {
      // Behind [DONE] there is nothing to wait for but the end of the body.
      if (Number.isNaN(flight.doneAtMs)) this.giveUp('idleTimeout')
      else this.complete(false)
    }
  }

  giveUp(outcome: Outcome): void {
    this.disconnect()
    this.land(outcome, '')
  }

  close(): void {
    this.disconnect()
    this.client.destroy()
  }

  // What the connection says.

  connected(): void {
    this.isConnected = true
    this.refusals = 0
    this.freeAtMs = monotonicMs()
    this.parser.reset()
    if (this.flight !== undefined) this.write()
  }

  bytes(bytes: Buffer, length: number): void {
    this.nowMs = monotonicMs()
    const { flight } = this
    const eventsBefore = flight?.events ?? 0
    if (flight !== undefined) flight.lastReadAtMs = this.nowMs
    this.parser.execute(bytes, length)
    this.options.read((flight?.events ?? 0) - eventsBefore, this.nowMs)
    if (flight !== undefined && flight === this.flight && flight.contentEvents >= flight.leavesAfter)
      this.giveUp('abortedByUs')
  }

  ended(): void {
    this.nowMs = monotonicMs()
    if (!this.parser.closed()) {
      this.disconnect()
      this.land('truncated', 'the connection was closed inside the reply')
    }
  }

  failed(error: Error): void {
    if (!this.isConnected) this.refused(codeOf(error))
    else {
      this.disconnect()
      this.land('reset', codeOf(error))
    }
  }

  // What the response says.

  head(status: number, contentType: string): void {
    const { flight } = this
    if (flight === undefined) return
    flight.headAtMs = this.nowMs
    flight.status = status
    this.reply = []
    this.replyBytes = 0
    const outcome = statusOutcome(status)
    if (outcome !== undefined) flight.outcome = outcome
    const essence = contentType.split(';')[0]?.trim().toLowerCase()
    this.isEventStream = this.options.stream && outcome === undefined && essence === 'text/event-stream'
    if (this.options.stream && outcome === undefined && !this.isEventStream) {
      flight.outcome = 'framing'
      flight.reason = `a stream of the type "${essence}"`
    }
    if (this.isEventStream) this.meter.begin(flight)
    else this.meter.gaps.clear()
  }

  body(bytes: Uint8Array, from: number, to: number): void {
    if (this.isEventStream) this.meter.feed(bytes as Buffer, from, to, this.nowMs)
    else if (this.replyBytes < replyBytesMax) {
      this.reply.push(Buffer.from(bytes.subarray(from, to)))
      this.replyBytes += to - from
    }
  }

  end(reusable: boolean): void {
    this.complete(reusable)
  }

  broken(reason: string): void {
    this.disconnect()
    this.land('framing', reason)
  }

  private complete(reusable: boolean): void {
    const { flight } = this
    if (!reusable) this.disconnect()
    else this.parser.reset()
    if (flight === undefined) return
    if (this.isEventStream) this.meter.finish()
    else this.readReply(flight)
    this.land(flight.outcome ?? 'ok', '')
  }

  private readReply(flight: Flight): void {
    const text = Buffer.concat(this.reply).toString()
    this.reply = []
    if (flight.outcome !== undefined) {
      if (flight.reason === '') flight.reason = text.slice(0, reasonBytesMax)
      return
    }
    let reply: unknown
    try {
      reply = JSON.parse(text)
    } catch {
      flight.outcome = 'schema'
      flight.reason = 'a reply that is no JSON'
      return
    }
    const [departure] = departures(chatCompletionSchema, reply)
    if (departure !== undefined) {
      flight.outcome = 'schema'
      flight.reason = `the reply departs: ${departure}`
      return
    }
    const { usage } = reply as {
      readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number }
    }
    flight.completionTokens = usage?.completion_tokens ?? Number.NaN
    flight.promptTokens = usage?.prompt_tokens ?? Number.NaN
  }

  private connect(): void {
    this.isConnected = false
    this.connectAtMs = monotonicMs()
    this.socket = this.options.open(this)
    this.client.conn = this.socket
  }

  private write(): void {
    const { flight, request } = this
    if (flight === undefined || request === undefined) return
    this.request = undefined
    this.parser.reset()
    flight.sentAtMs = monotonicMs()
    flight.lastReadAtMs = flight.sentAtMs
    this.socket?.write(request)
  }

  private disconnect(): void {
    const { socket } = this
    this.socket = undefined
    this.isConnected = false
    if (socket === undefined) return
    socket.removeAllListeners()
    socket.on('error', () => undefined)
    socket.destroy()
  }

  private refused(reason: string): void {
    this.disconnect()
    this.refusals += 1
    this.freeAtMs = monotonicMs()
    this.land('connect', reason)
  }

  private land(outcome: Outcome, reason: string): void {
    const { flight } = this
    if (flight === undefined) return
    this.flight = undefined
    this.request = undefined
    this.freeAtMs = monotonicMs()
    // What a reply said of itself before it broke off stays its name.
    if (
      flight.outcome !== 'inBandError' &&
      statusOutcome(flight.status || 200) === undefined &&
      flight.outcome !== outcome
    ) {
      flight.outcome = outcome
      flight.reason = reason
    }
    flight.endedAtMs = this.nowMs > flight.sentAtMs ? this.nowMs : this.freeAtMs
    this.options.landed(this, flight)
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
