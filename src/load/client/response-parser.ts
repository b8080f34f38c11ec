import { type BodySink, ChunkedBody } from './chunked-body.ts'
import { readResponseHead } from './response-head.ts'

/** Told what a response says as its bytes come. */
export interface ResponseSink extends BodySink {
  head(status: number, contentType: string): void
  /** The message is complete. `reusable`: whether the connection may carry another. */
  end(reusable: boolean): void
  /** The bytes are not HTTP/1.1. */
  broken(reason: string): void
}

const headBytesMax = 64 * 1024

/**
 * One HTTP/1.1 response at a time from the bytes of a connection, for responses that may never end. It keeps only the
 * head; bodies are handed on as they come.
 */
export class ResponseParser {
  private readonly sink: ResponseSink
  private readonly chunked: ChunkedBody
  private state: 'head' | 'chunked' | 'length' | 'close' | 'done' | 'broken' = 'head'
  private headText = ''
  private remaining = 0
  private reusable = true

  constructor(sink: ResponseSink) {
    this.sink = sink
    this.chunked = new ChunkedBody(sink)
  }

  /** Before the first byte of the next response. */
  reset(): void {
    this.state = 'head'
    this.headText = ''
  }

  /** The bytes of one read. Bytes after the end of a message are a mistake of the server. */
  execute(bytes: Uint8Array, length: number = bytes.length): void {
    let at = 0
    while (at < length && this.state !== 'broken') {
      if (this.state === 'chunked') at = this.readChunks(bytes, at, length)
      else if (this.state === 'head') at = this.readHead(bytes, at, length)
      else if (this.state === 'done') this.fail('bytes after the end of the response')
      else at = this.readBody(bytes, at, length)
    }
  }

  /** The server closed the connection. True when that is how the response ends. */
  closed(): boolean {
    if (this.state !== 'close') return false
    this.reusable = false
    this.complete()
    return true
  }

  private readHead(bytes: Uint8Array, from: number, length: number): number {
    const before = this.headText.length
    this.headText += Buffer.from(bytes.buffer, bytes.byteOffset + from, length - from).toString('latin1')
    const end = this.headText.indexOf('\r\n\r\n', Math.max(0, before - 3))
    if (end === -1) {
      if (this.headText.length > headBytesMax) this.fail('a head of more than 64 kB')
      else if (!'HTTP/1.'.startsWith(this.headText.slice(0, 7))) this.fail('no HTTP/1.1 status line')
      return length
    }
    const head = this.headText.slice(0, end)
    this.headText = ''
    this.begin(head)
    return from + end + 4 - before
  }

  private begin(text: string): void {
    const head = readResponseHead(text)
    if (head === undefined) {
      this.fail('no HTTP/1.1 status line')
      return
    }
    // An interim answer: the real one follows.
    if (head.status < 200) return
    this.reusable = head.reusable
    this.remaining = head.length
    this.state = head.framing
    this.sink.head(head.status, head.contentType)
    if (head.framing === 'chunked') this.chunked.begin()
    else if (head.framing === 'length') {
      if (Number.isNaN(head.length)) this.fail('a content-length that is not a number')
      else if (head.length === 0) this.complete()
    }
  }

  private readChunks(bytes: Uint8Array, from: number, length: number): number {
    const at = this.chunked.read(bytes, from, length)
    if (this.chunked.state === 'done') this.complete()
    else if (this.chunked.state === 'broken') this.fail(this.chunked.problem)
    return at
  }

  private readBody(bytes: Uint8Array, from: number, length: number): number {
    const to = this.state === 'length' ? Math.min(length, from + this.remaining) : length
    this.remaining -= to - from
    this.sink.body(bytes, from, to)
    if (this.state === 'length' && this.remaining === 0) this.complete()
    return to
  }

  private complete(): void {
    this.state = 'done'
    this.sink.end(this.reusable)
  }

  private fail(reason: string): void {
    this.state = 'broken'
    this.sink.broken(reason)
  }
}
