import { isUtf8 } from 'node:buffer'

const key = Buffer.from('"content"')
const quote = 34
const backslash = 92
const colon = 58
const space = 32

/**
 * Where the first non-empty text of a `content` key is: from after its opening quote up to its closing one. An unescaped
 * `"content"` cannot occur inside a JSON string, so a hit is a key.
 */
export function findContent(bytes: Buffer, from: number, to: number): { from: number; to: number } | undefined {
  for (let at = bytes.indexOf(key, from); at !== -1 && at < to; at = bytes.indexOf(key, at + 1)) {
    let start = at + key.length
    while (bytes[start] === space) start += 1
    if (bytes[start] !== colon) continue
    start += 1
    while (bytes[start] === space) start += 1
    if (bytes[start] !== quote || bytes[start + 1] === quote) continue
    const end = endOfText(bytes, start + 1, to)
    if (end !== -1) return { from: start + 1, to: end }
  }
  return undefined
}

/** The closing quote of a JSON string; -1 if it holds a control character or does not end here. */
function endOfText(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === quote) return at
    if (byte < space) return -1
    if (byte === backslash) at += 1
  }
  return -1
}

/**
 * The bytes around the text of a chunk that was parsed and found good. An event with the same bytes around another text
 * is as good, and needs no parsing: same id, same model, same shape.
 */
export class ChunkTemplate {
  private prefix = Buffer.alloc(0)
  private suffix = Buffer.alloc(0)
  private isKnown = false
  /** Where the text of the last match is. */
  contentFrom = 0
  contentTo = 0

  forget(): void {
    this.isKnown = false
  }

  learn(bytes: Buffer, from: number, to: number): void {
    const content = findContent(bytes, from, to)
    this.isKnown = content !== undefined
    if (content === undefined) return
    this.prefix = Buffer.from(bytes.subarray(from, content.from))
    this.suffix = Buffer.from(bytes.subarray(content.to, to))
  }

  /** Where the event that starts here ends, or -1 if it is of another kind or not complete. */
  match(bytes: Buffer, from: number, to: number): number {
    if (!this.isKnown) return -1
    const { prefix, suffix } = this
    let at = from
    if (to - from < prefix.length + suffix.length) return -1
    for (let index = 0; index < prefix.length; index += 1, at += 1) if (bytes[at] !== prefix[index]) return -1
    this.contentFrom = at
    let isAscii = true
    for (; at < to; at += 1) {
      const byte = bytes[at] ?? 0
      if (byte === quote) break
      if (byte < space) return -1
      if (byte === backslash) {
        at += 1
        if (!isPlainEscape(bytes[at] ?? 0)) return -1
      } else if (byte > 127) isAscii = false
    }
    this.contentTo = at
    if (to - at < suffix.length) return -1
    for (let index = 0; index < suffix.length; index += 1, at += 1) if (bytes[at] !== suffix[index]) return -1
    if (!isAscii && !isUtf8(bytes.subarray(this.contentFrom, this.contentTo))) return -1
    return at
  }
}

/** Escapes of one letter; the parser judges all others. */
function isPlainEscape(byte: number): boolean {
  return (
    byte === 110 ||
    byte === quote ||
    byte === backslash ||
    byte === 116 ||
    byte === 114 ||
    byte === 47 ||
    byte === 98 ||
    byte === 102
  )
}
