import { isUtf8 } from 'node:buffer'

/** What the wire said, with the exact bytes that said it. An irregularity is returned, never thrown: a verdict needs it. */
export type SseFrame = FrameBytes & (SseEvent | SseComment | SseIrregularity)

interface FrameBytes {
  /** The frame's own lines with their line ends. Every byte of a stream belongs to exactly one frame. */
  readonly raw: Uint8Array
  /** Offset in the stream just behind the frame's last byte. */
  readonly end: number
  /** Whether the bytes are well-formed UTF-8. Text of ill-formed bytes holds U+FFFD. */
  readonly utf8: boolean
}

export interface SseEvent {
  readonly kind: 'event'
  /** The joined values of the data fields. */
  readonly data: string
  readonly dataFields: number
  /** Value of the `event` field, when there is one. */
  readonly name?: string
  /** Value of the `id` field, when there is one. */
  readonly lastId?: string
}

export interface SseComment {
  readonly kind: 'comment'
  readonly text: string
}

/**
 * What a client ignores: a byte order mark, a line whose field the format does not know, a block of fields without
 * data, an empty line that ends nothing, and what the end of the stream left without its blank line.
 */
export interface SseIrregularity {
  readonly kind: 'irregularity'
  readonly what: 'bom' | 'unknown-field' | 'no-data' | 'blank-line' | 'unterminated'
  readonly text: string
}

/** Bytes in, frames out: no socket, no clock, no callback. However the bytes are cut, the frames are the same. */
export interface SseParser {
  /** Frames completed by these bytes, in wire order. A final CR waits for the byte behind it. */
  push(bytes: Uint8Array): SseFrame[]
  /** What was left when the stream closed. Call once, last. */
  end(): SseFrame[]
}

/** The fields seen since the last blank line. */
interface Block {
  lines: Uint8Array[]
  data: string[]
  name?: string
  lastId?: string
}

const LF = 10
const CR = 13
const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Parses an event stream as the WHATWG HTML standard says (section 9.2.6), and keeps what it tells clients to drop. */
export function createSseParser(): SseParser {
  /** The unfinished line, joined only when it ends, so that a line of many small reads costs linear time. */
  let pieces: Uint8Array[] = []
  let endsWithCr = false
  let offset = 0
  let block = emptyBlock()
  let frames: SseFrame[] = []

  function emit(raw: Uint8Array, body: SseEvent | SseComment | SseIrregularity): void {
    frames.push({ raw, end: offset, utf8: isUtf8(raw), ...body })
  }

  function finishLine(): void {
    let line: Uint8Array = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
    pieces = []
    endsWithCr = false
    if (offset === 0 && BOM.equals(line.subarray(0, 3))) {
      offset = 3
      emit(line.subarray(0, 3), { kind: 'irregularity', what: 'bom', text: '' })
      line = line.subarray(3)
    }
    offset += line.length
    const own = withoutLineEnd(line)
    if (own.length === 0) {
      finishBlock(line)
      return
    }
    const text = decoder.decode(own)
    if (text.startsWith(':')) emit(line, { kind: 'comment', text: text.slice(1) })
    else takeField(line, text)
  }

  function takeField(line: Uint8Array, text: string): void {
    const colon = text.indexOf(':')
    const name = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') block.data.push(value)
    else if (name === 'event') block.name = value
    else if (name === 'id') block.lastId = value
    if (name === 'data' || name === 'event' || name === 'id' || name === 'retry') block.lines.push(line)
    else emit(line, { kind: 'irregularity', what: 'unknown-field', text })
  }

  function finishBlock(line: Uint8Array): void {
    const { lines, data, name, lastId } = block
    block = emptyBlock()
    const raw = join(lines, line)
    if (lines.length === 0) emit(raw, { kind: 'irregularity', what: 'blank-line', text: '' })
    else if (data.length === 0) emit(raw, { kind: 'irregularity', what: 'no-data', text: decoder.decode(raw) })
    else {
      emit(raw, {
        kind: 'event',
        data: data.join('\n'),
        dataFields: data.length,
        ...(name === undefined ? {} : { name }),
        ...(lastId === undefined ? {} : { lastId }),
      })
    }
  }

  function drain(): SseFrame[] {
    const done = frames
    frames = []
    return done
  }

  return {
    push(bytes) {
      let start = 0
      if (endsWithCr && bytes.length > 0) {
        if (bytes[0] === LF) {
          pieces.push(bytes.subarray(0, 1))
          start = 1
        }
        finishLine()
      }
      for (let at = start; at < bytes.length; at += 1) {
        const byte = bytes[at]
        if (byte !== LF && byte !== CR) continue
        if (byte === CR && at + 1 === bytes.length) {
          endsWithCr = true
          break
        }
        if (byte === CR && bytes[at + 1] === LF) at += 1
        pieces.push(bytes.subarray(start, at + 1))
        start = at + 1
        finishLine()
      }
      if (start < bytes.length) pieces.push(bytes.slice(start))
      return drain()
    },
    end() {
      if (endsWithCr) finishLine()
      const rest = Buffer.concat([...block.lines, ...pieces])
      if (rest.length > 0) {
        offset += pieces.reduce((sum, piece) => sum + piece.length, 0)
        emit(rest, { kind: 'irregularity', what: 'unterminated', text: decoder.decode(rest) })
      }
      block = emptyBlock()
      pieces = []
      return drain()
    },
  }
}

/** All frames of a whole stream. */
export function parseSse(bytes: Uint8Array): SseFrame[] {
  const parser = createSseParser()
  return [...parser.push(bytes), ...parser.end()]
}

function emptyBlock(): Block {
  return { lines: [], data: [] }
}

/** The bytes of a block. Most are one line and a blank one that came in one piece, and need no copy. */
function join(lines: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  const [first] = lines
  const isOnePiece =
    lines.length === 1 && first?.buffer === last.buffer && first.byteOffset + first.length === last.byteOffset
  return isOnePiece
    ? new Uint8Array(first.buffer, first.byteOffset, first.length + last.length)
    : Buffer.concat([...lines, last])
}

function withoutLineEnd(line: Uint8Array): Uint8Array {
  let end = line.length
  if (line[end - 1] === LF) end -= 1
  if (line[end - 1] === CR) end -= 1
  return line.subarray(0, end)
}
