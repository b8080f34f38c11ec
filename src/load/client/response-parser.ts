import { readResponseHead } from './response-head.ts'

/** Called with what a response says, as its bytes come. Bodies arrive in slices, each valid until the call returns. */
export interface ResponseSink {
  head(status: number, contentType: string): void
  body(bytes: Uint8Array, from: number, to: number): void
  /** The message is complete. `reusable`: whether the connection may carry another. */
  end(reusable: boolean): void
  /** The bytes are not HTTP/1.1. */
  broken(reason: string): void
}

const headBytesMax = 64 * 1024
const chunkSizeDigitsMax = 8

type State = 'head' | 'size' | 'size-rest' | 'data' | 'data-end' | 'trailer' | 'length' | 'close' | 'done' | 'broken'

const cr = 13
const lf = 10

/**
 * One HTTP/1.1 response at a time from the bytes of a connection, for responses that may never end. It keeps only the
 * head; bodies are handed on as they come.
 */
export class ResponseParser {
  private readonly sink: ResponseSink
  private state: State = 'head'
  private headText = ''
  private remaining = 0
  private sizeDigits = 0
  private lineLength = 0
  private reusable = true

  constructor(sink: ResponseSink) {
    this.sink = sink
  }

  /** Before the first byte of the next response. */
  reset(): void {
    this.state = 'head'
    this.headText = ''
  }

  /** The bytes of one read. Bytes after the end of a message are a mistake of the server. */
  execute(bytes: Uint8Array, length: number = bytes.length): void {
    let at = 0
    while (at < length) {
      switch (this.state) {
        case 'head':
          at = this.readHead(bytes, at, length)
          break
        case 'size':
          at = this.readSize(bytes, at, length)
          break
        case 'size-rest':
        case 'trailer':
        case 'data-end':
          at = this.readLine(bytes, at, length)
          break
        case 'data':
        case 'length':
          at = this.readData(bytes, at, length)
          break
        case 'close':
          this.sink.body(bytes, at, length)
          return
        case 'done':
          this.fail('bytes after the end of the response')
          return
        case 'broken':
          return
      }
    }
  }

  /** The server closed the connection. True if that completes the response. */
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
    // An interim response: the final one follows.
    if (head.status < 200) return
    this.reusable = head.reusable
    this.sink.head(head.status, head.contentType)
    if (head.framing === 'chunked') this.expectSize()
    else if (head.framing === 'close') this.state = 'close'
    else if (Number.isNaN(head.length)) this.fail('a content-length that is not a number')
    else if (head.length === 0) this.complete()
    else {
      this.remaining = head.length
      this.state = 'length'
    }
  }

  private expectSize(): void {
    this.state = 'size'
    this.remaining = 0
    this.sizeDigits = 0
  }

  private readSize(bytes: Uint8Array, from: number, length: number): number {
    for (let at = from; at < length; at += 1) {
      const byte = bytes[at] ?? 0
      const digit = hexDigit(byte)
      if (digit >= 0 && this.sizeDigits < chunkSizeDigitsMax) {
        this.remaining = this.remaining * 16 + digit
        this.sizeDigits += 1
        continue
      }
      if (digit >= 0 || this.sizeDigits === 0 || !(byte === cr || byte === 59 || byte === 32 || byte === 9)) {
        this.fail('a chunk size that is not a hexadecimal number')
        return length
      }
      this.state = 'size-rest'
      return at
    }
    return length
  }

  /** The rest of a line of which only the end matters. */
  private readLine(bytes: Uint8Array, from: number, length: number): number {
    for (let at = from; at < length; at += 1) {
      const byte = bytes[at]
      if (byte === lf) {
        this.endLine()
        return at + 1
      }
      if (byte !== cr) {
        if (this.state === 'data-end') {
          this.fail('a chunk that is longer than its size')
          return length
        }
        this.lineLength += 1
      }
    }
    return length
  }

  private endLine(): void {
    const wasEmpty = this.lineLength === 0
    this.lineLength = 0
    if (this.state === 'size-rest') this.state = this.remaining === 0 ? 'trailer' : 'data'
    else if (this.state === 'data-end') this.expectSize()
    else if (wasEmpty) this.complete()
  }

  private readData(bytes: Uint8Array, from: number, length: number): number {
    const to = Math.min(length, from + this.remaining)
    this.remaining -= to - from
    // The sink may end the request when it gets the last bytes, so the state must be right before that.
    const isChunk = this.state === 'data'
    if (this.remaining === 0 && isChunk) this.state = 'data-end'
    this.sink.body(bytes, from, to)
    if (this.remaining === 0 && !isChunk && this.state === 'length') this.complete()
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

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  if (byte >= 97 && byte <= 102) return byte - 87
  return byte >= 65 && byte <= 70 ? byte - 55 : -1
}
