import { isUtf8 } from 'node:buffer'
import { departures } from '../../contract/schema.ts'
import { type StreamChunk, streamChunkSchema } from '../../contract/stream-chunk.ts'
import { isErrorEvent } from '../../target/answer.ts'
import type { Outcome } from '../figures/outcome.ts'
import { ChunkTemplate, findContent } from './chunk-template.ts'
import type { Flight } from './flight.ts'
import { GapLog } from './gap-log.ts'

/** Which of the chunks that differ from their stream's template are parsed: all of them, or a share. */
export interface Sampling {
  /** Of content chunks, from 0 to 1; the first few of each stream, and all others, always are. */
  readonly share: number
  /** From 0 up to but not 1. */
  draw(): number
  /** Told the text of each content event, and when it was read. */
  readonly onContent?: (text: string, atMs: number, flight: Flight) => void
}

const eventBytesMax = 4 * 1024 * 1024
const parsedAtLeast = 4
const cr = 13
const lf = 10
const doneMark = Buffer.from('[DONE]')
const dataField = Buffer.from('data')

interface ParsedChunk extends StreamChunk {
  readonly error?: unknown
  readonly usage?: { readonly completion_tokens?: unknown; readonly prompt_tokens?: unknown } | null
}

/**
 * Times the events of one stream after another, and judges them while it does. An event carries the moment of the read
 * that completed it. What no stream of this contract may do is kept as the flight's outcome.
 */
export class StreamMeter {
  readonly gaps = new GapLog()
  private readonly sampling: Sampling
  private readonly template = new ChunkTemplate()
  private flight: Flight | undefined
  private carry = Buffer.alloc(1024)
  private carried = 0
  private skipsLf = false
  private isDone = false
  private id: string | undefined
  private parsedContent = 0
  /** The last content chunk that was not parsed: the end of a reply may stand in it. */
  private unread: Buffer | undefined

  constructor(sampling: Sampling) {
    this.sampling = sampling
  }

  begin(flight: Flight): void {
    this.flight = flight
    this.gaps.clear()
    this.template.forget()
    this.carried = 0
    this.skipsLf = false
    this.isDone = false
    this.id = undefined
    this.parsedContent = 0
    this.unread = undefined
  }

  /** Bytes of the body, all read at one moment. */
  feed(bytes: Buffer, from: number, to: number, atMs: number): void {
    let at = from
    if (this.skipsLf && at < to) {
      this.skipsLf = false
      if (bytes[at] === lf) at += 1
    }
    if (this.carried > 0) {
      this.keep(bytes, at, to)
      const whole = this.carry
      const length = this.carried
      this.carried = 0
      this.scan(whole, 0, length, atMs)
    } else this.scan(bytes, at, to, atMs)
  }

  /** The body is complete: what does the stream as a whole lack? */
  finish(): void {
    if (this.unread !== undefined) this.parse(this.unread.toString(), this.unread, 0, this.unread.length)
    if (this.flight?.outcome !== undefined) return
    if (!this.isDone) this.depart('noDone', 'the body ended without [DONE]')
  }

  private scan(bytes: Buffer, from: number, to: number, atMs: number): void {
    let at = from
    while (at < to) {
      let end = this.template.match(bytes, at, to)
      if (end !== -1) {
        const { contentFrom, contentTo } = this.template
        this.tell(bytes, contentFrom, contentTo, atMs)
        this.count(contentTo > contentFrom, atMs)
      } else {
        end = this.readEvent(bytes, at, to, atMs)
        if (end === -1) break
      }
      at = end
    }
    if (at < to) this.keep(bytes, at, to)
  }

  /** Reads lines up to a blank one. Behind it, or -1 when there is none yet. */
  private readEvent(bytes: Buffer, from: number, to: number, atMs: number): number {
    let lineFrom = from
    let dataFrom = -1
    let dataTo = -1
    let joined: string | undefined
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at]
      if (byte !== lf && byte !== cr) continue
      const isBlank = at === lineFrom
      const value = isBlank ? -1 : valueOfData(bytes, lineFrom, at)
      if (value !== -1) {
        if (dataFrom !== -1)
          joined = `${joined ?? bytes.toString('utf8', dataFrom, dataTo)}\n${bytes.toString('utf8', value, at)}`
        dataFrom = value
        dataTo = at
      }
      if (byte === cr) {
        if (at + 1 === to) this.skipsLf = true
        else if (bytes[at + 1] === lf) at += 1
      }
      lineFrom = at + 1
      if (!isBlank) continue
      if (dataFrom !== -1) this.onEvent(bytes, { from, to: at + 1, dataFrom, dataTo, joined }, atMs)
      return at + 1
    }
    return -1
  }

  private onEvent(
    bytes: Buffer,
    {
      from,
      to,
      dataFrom,
      dataTo,
      joined,
    }: { from: number; to: number; dataFrom: number; dataTo: number; joined: string | undefined },
    atMs: number,
  ): void {
    if (dataTo === dataFrom) return
    if (dataTo - dataFrom === doneMark.length && bytes.compare(doneMark, 0, doneMark.length, dataFrom, dataTo) === 0) {
      if (this.isDone) this.depart('framing', '[DONE] came twice')
      this.isDone = true
      // Whatever follows is looked at.
      this.template.forget()
      if (this.flight !== undefined) this.flight.doneAtMs = atMs
      this.count(false, atMs)
      return
    }
    if (this.isDone) this.depart('framing', 'an event came behind [DONE]')
    const content = joined === undefined ? findContent(bytes, dataFrom, dataTo) : undefined
    const isParsed =
      content === undefined || this.parsedContent < parsedAtLeast || this.sampling.draw() < this.sampling.share
    if (!isParsed) {
      this.unread = Buffer.from(bytes.subarray(dataFrom, dataTo))
      this.tell(bytes, content.from, content.to, atMs)
      this.count(true, atMs)
      return
    }
    const text = this.parse(joined ?? bytes.toString('utf8', dataFrom, dataTo), bytes, dataFrom, dataTo)
    const hasContent = text !== undefined && text !== ''
    if (hasContent) {
      this.unread = undefined
      this.parsedContent += 1
      if (this.flight !== undefined) this.sampling.onContent?.(text, atMs, this.flight)
      if (joined === undefined) this.template.learn(bytes, from, to)
    }
    this.count(hasContent, atMs)
  }

  /** Judges one chunk; its text, undefined where it has none. */
  private parse(data: string, bytes: Buffer, from: number, to: number): string | undefined {
    if (!isUtf8(bytes.subarray(from, to))) this.depart('framing', 'bytes that are no UTF-8')
    let chunk: ParsedChunk
    try {
      chunk = JSON.parse(data) as ParsedChunk
    } catch {
      this.depart('schema', 'an event whose data is no JSON')
      return undefined
    }
    if (isErrorEvent(chunk)) {
      this.depart('inBandError', messageOf(chunk.error ?? chunk))
      return undefined
    }
    const [departure] = departures(streamChunkSchema, chunk)
    if (departure !== undefined) {
      this.depart('schema', `a chunk departs: ${departure}`)
      return undefined
    }
    this.id ??= chunk.id
    if (chunk.id !== this.id) this.depart('schema', 'the id changed inside the stream')
    this.readUsage(chunk.usage)
    return chunk.choices.map(({ delta }) => delta.content ?? '').join('')
  }

  private readUsage(usage: ParsedChunk['usage']): void {
    if (this.flight === undefined || typeof usage !== 'object' || usage === null) return
    if (typeof usage.completion_tokens === 'number') this.flight.completionTokens = usage.completion_tokens
    if (typeof usage.prompt_tokens === 'number') this.flight.promptTokens = usage.prompt_tokens
  }

  private tell(bytes: Buffer, from: number, to: number, atMs: number): void {
    const { onContent } = this.sampling
    if (onContent !== undefined && this.flight !== undefined)
      onContent(bytes.toString('latin1', from, to), atMs, this.flight)
  }

  private count(hasContent: boolean, atMs: number): void {
    const { flight } = this
    if (flight === undefined) return
    flight.events += 1
    if (flight.events === 1) flight.firstEventAtMs = atMs
    if (!hasContent) return
    flight.contentEvents += 1
    if (flight.contentEvents === 1) flight.firstContentAtMs = atMs
    else {
      if (flight.contentEvents === 2) flight.secondContentAtMs = atMs
      this.gaps.push(atMs - flight.lastContentAtMs)
    }
    flight.lastContentAtMs = atMs
  }

  private depart(outcome: Outcome, reason: string): void {
    const { flight } = this
    // The first departure names the stream; an error that it declares itself says more than what follows from it.
    if (flight === undefined || (flight.outcome !== undefined && outcome !== 'inBandError')) return
    flight.outcome = outcome
    flight.reason = reason
  }

  private keep(bytes: Buffer, from: number, to: number): void {
    const length = this.carried + (to - from)
    if (length > eventBytesMax) {
      this.depart('framing', 'an event of more than 4 MB')
      return
    }
    if (length > this.carry.length) {
      const grown = Buffer.alloc(2 ** Math.ceil(Math.log2(length)))
      this.carry.copy(grown, 0, 0, this.carried)
      this.carry = grown
    }
    bytes.copy(this.carry, this.carried, from, to)
    this.carried = length
  }
}

/** Where the value of a line starts if its field is `data`, else -1. */
function valueOfData(bytes: Buffer, from: number, to: number): number {
  for (let index = 0; index < dataField.length; index += 1) if (bytes[from + index] !== dataField[index]) return -1
  const at = from + dataField.length
  if (at === to) return at
  if (bytes[at] !== 58) return -1
  return at + 1 < to && bytes[at + 1] === 32 ? at + 2 : at + 1
}

function messageOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  return (typeof message === 'string' ? message : JSON.stringify(message)).slice(0, 200)
}
