import { ChunkJudge } from './chunk-judge.ts'
import { type ChunkTemplate, findContent } from './chunk-template.ts'
import type { EventReader } from './event-reader.ts'
import type { Flight } from './flight.ts'
import type { Sampling } from './sampling.ts'

const parsedAtLeast = 4
const doneMark = Buffer.from('[DONE]')

/** Judges the events that the template does not match, and teaches it good ones. */
export class EventJudge {
  readonly chunks = new ChunkJudge()
  private readonly sampling: Sampling
  private readonly template: ChunkTemplate
  private flight: Flight | undefined
  private isDone = false
  private parsedContent = 0
  /** The last content chunk that was not parsed: it may hold the end of the reply. */
  private unread: Buffer | undefined

  constructor(sampling: Sampling, template: ChunkTemplate) {
    this.sampling = sampling
    this.template = template
  }

  begin(flight: Flight): void {
    this.chunks.begin(flight)
    this.template.forget()
    this.flight = flight
    this.isDone = false
    this.parsedContent = 0
    this.unread = undefined
  }

  /** Judges the event that was just read from these bytes. True if it has content. */
  judge(bytes: Buffer, from: number, to: number, { dataFrom, dataTo, joined }: EventReader, atMs: number): boolean {
    if (isDoneMark(bytes, dataFrom, dataTo)) {
      this.done(atMs)
      return false
    }
    if (this.isDone) this.chunks.fail('framing', 'an event came after [DONE]')
    const content = joined === undefined ? findContent(bytes, dataFrom, dataTo) : undefined
    if (content !== undefined && this.parsedContent >= parsedAtLeast && this.sampling.draw() >= this.sampling.share) {
      this.unread = Buffer.from(bytes.subarray(dataFrom, dataTo))
      const { onContent } = this.sampling
      if (onContent !== undefined && this.flight !== undefined)
        onContent(bytes.toString('latin1', content.from, content.to), atMs, this.flight)
      return true
    }
    const data = joined ?? bytes.toString('utf8', dataFrom, dataTo)
    const text = this.chunks.parse(data, bytes.subarray(dataFrom, dataTo))
    if (text === undefined || text === '') return false
    this.unread = undefined
    this.parsedContent += 1
    if (this.flight !== undefined) this.sampling.onContent?.(text, atMs, this.flight)
    if (joined === undefined) this.template.learn(bytes, from, to)
    return true
  }

  /** The body is complete: is the stream as a whole? */
  finish(): void {
    if (this.unread !== undefined) this.chunks.parse(this.unread.toString(), this.unread)
    if (!this.isDone) this.chunks.fail('noDone', 'the body ended without [DONE]')
  }

  private done(atMs: number): void {
    if (this.isDone) this.chunks.fail('framing', '[DONE] came twice')
    this.isDone = true
    // Whatever follows must be looked at.
    this.template.forget()
    if (this.flight !== undefined) this.flight.doneAtMs = atMs
  }
}

function isDoneMark(bytes: Buffer, from: number, to: number): boolean {
  return to - from === doneMark.length && bytes.compare(doneMark, 0, doneMark.length, from, to) === 0
}
