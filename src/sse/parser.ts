import { isUtf8 } from 'node:buffer'
import { CR, createLineCutter, LF } from './lines.ts'

/** What the wire said, with the exact bytes that said it. An irregularity is returned, never thrown: a verdict needs it. */
export type SseFrame = FrameBytes & (SseEvent | SseComment | SseIrregularity)

interface FrameBytes {
  /** The frame's own lines with their line ends. Every byte of a stream belongs to exactly one frame. */
  readonly raw: Uint8Array
  /** Offset in the stream just after the frame's last byte. */
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

interface SseComment {
  readonly kind: 'comment'
  readonly text: string
}

/**
 * What a client ignores: a byte order mark, a line whose field the format does not know, a block of fields without
 * data, an empty line that ends nothing, and what the stream's end left without a blank line.
 */
interface SseIrregularity {
  readonly kind: 'irregularity'
  readonly what: 'bom' | 'unknown-field' | 'no-data' | 'blank-line' | 'unterminated'
  readonly text: string
}

/** Bytes in, frames out: no socket, no clock, no callback. However the bytes are cut, the frames are the same. */
export interface SseParser {
  /** Frames completed by these bytes, in wire order. A final CR waits for the byte after it. */
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

const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Parses an event stream as the WHATWG HTML standard says (section 9.2.6), and keeps what it tells clients to drop. */
export function createSseParser(): SseParser {
  const lines = createLineCutter(takeLine)
  let offset = 0
  let block = emptyBlock()
  let frames: SseFrame[] = []

  function emit(raw: Uint8Array, body: SseEvent | SseComment | SseIrregularity): void {
    frames.push({ raw, end: offset, utf8: isUtf8(raw), ...body })
  }

  function takeLine(whole: Uint8Array): void {
    let line = whole
    if (offset === 0 && BOM.equals(line.subarray(0, 3))) {
      offset = 3
      emit(line.subarray(0, 3), { kind: 'irregularity', what: 'bom', text: '' })
      line = line.subarray(3)
    }
    offset += line.length
    const own = withoutLineEnd(line)
    if (own.length === 0) {
      const raw = join(block.lines, line)
      emit(raw, bodyOf(block, raw))
      block = emptyBlock()
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

  function drain(): SseFrame[] {
    const done = frames
    frames = []
    return done
  }

  return {
    push(bytes) {
      lines.push(bytes)
      return drain()
    },
    end() {
      const pieces = lines.end()
      const rest = Buffer.concat([...block.lines, ...pieces])
      if (rest.length > 0) {
        offset += pieces.reduce((sum, piece) => sum + piece.length, 0)
        emit(rest, { kind: 'irregularity', what: 'unterminated', text: decoder.decode(rest) })
      }
      block = emptyBlock()
      return drain()
    },
  }
}

/** What a blank line makes of the fields before it. */
function bodyOf({ lines, data, name, lastId }: Block, raw: Uint8Array): SseEvent | SseIrregularity {
  if (lines.length === 0) return { kind: 'irregularity', what: 'blank-line', text: '' }
  if (data.length === 0) return { kind: 'irregularity', what: 'no-data', text: decoder.decode(raw) }
  return {
    kind: 'event',
    data: data.join('\n'),
    dataFields: data.length,
    ...(name === undefined ? {} : { name }),
    ...(lastId === undefined ? {} : { lastId }),
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
  if (first === undefined) return last
  const isOnePiece =
    lines.length === 1 && first.buffer === last.buffer && first.byteOffset + first.length === last.byteOffset
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
