import { ChunkSize } from './chunk-size.ts'

const cr = 13
const lf = 10

/** Takes the slices of a body, each valid until the call returns. */
export interface BodySink {
  body(bytes: Uint8Array, from: number, to: number): void
}

/** A body in the chunked transfer coding (RFC 9112, 7.1): handed on without a copy, however its bytes are cut. */
export class ChunkedBody {
  state: 'size' | 'data' | 'data-end' | 'trailer' | 'done' | 'broken' = 'size'
  /** What is wrong when it is broken. */
  problem = ''
  private readonly sink: BodySink
  private readonly size = new ChunkSize()
  private remaining = 0
  private lineLength = 0

  constructor(sink: BodySink) {
    this.sink = sink
  }

  begin(): void {
    this.state = 'size'
    this.size.begin()
    this.lineLength = 0
  }

  /** Reads to the end of the body, or of the bytes; where that is. */
  read(bytes: Uint8Array, from: number, to: number): number {
    let at = from
    while (at < to && this.state !== 'done' && this.state !== 'broken') {
      if (this.state === 'data') at = this.readData(bytes, at, to)
      else if (this.state === 'size') at = this.readSize(bytes, at, to)
      else at = this.readLine(bytes, at, to)
    }
    return at
  }

  private readSize(bytes: Uint8Array, from: number, to: number): number {
    const at = this.size.read(bytes, from, to)
    this.remaining = this.size.value
    if (this.size.isRead) this.state = this.remaining === 0 ? 'trailer' : 'data'
    else if (this.size.isBroken) this.fail('a chunk size that is not a hexadecimal number')
    return at
  }

  private readData(bytes: Uint8Array, from: number, to: number): number {
    const end = Math.min(to, from + this.remaining)
    this.remaining -= end - from
    if (this.remaining === 0) this.state = 'data-end'
    this.sink.body(bytes, from, end)
    return end
  }

  /** The end of a chunk's data is an empty line, and so is the end of the trailer. */
  private readLine(bytes: Uint8Array, from: number, to: number): number {
    let at = from
    for (; at < to && bytes[at] !== lf; at += 1) if (bytes[at] !== cr) this.lineLength += 1
    if (this.state === 'data-end' && this.lineLength > 0) this.fail('a chunk that is longer than its size')
    else if (at < to) {
      if (this.state === 'data-end') this.begin()
      else if (this.lineLength === 0) this.state = 'done'
      this.lineLength = 0
    }
    return Math.min(at + 1, to)
  }

  private fail(problem: string): void {
    this.state = 'broken'
    this.problem = problem
  }
}
