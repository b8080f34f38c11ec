import type { Wire } from '../script/script.ts'

/** Bytes of a body that go out in one write when they are due, and how many chunks end in them. */
export interface Part {
  /** From the request's arrival. */
  readonly atMs: number
  readonly bytes: Uint8Array
  readonly chunks: number
}

/** The same bytes, cut only at these places. A piece is due with its last byte, so that nothing goes out early. */
export function cutParts(parts: readonly Part[], cuts: NonNullable<Wire['cuts']>): Part[] {
  const whole = Buffer.concat(parts.map(({ bytes }) => bytes))
  const pieces: Part[] = []
  let start = 0
  /** Parts that are completely out, and where the last of them ended. */
  let done = 0
  let doneEnd = 0
  for (const end of cutOffsets(cuts, whole.length)) {
    let chunks = 0
    let part = parts[done]
    while (part !== undefined && doneEnd + part.bytes.length <= end) {
      doneEnd += part.bytes.length
      chunks += part.chunks
      done += 1
      part = parts[done]
    }
    const last = doneEnd === end ? parts[done - 1] : part
    pieces.push({ atMs: last?.atMs ?? 0, bytes: whole.subarray(start, end), chunks })
    start = end
  }
  return pieces
}

/** Where pieces end, in ascending order, the last at the body's end. */
function cutOffsets(cuts: NonNullable<Wire['cuts']>, length: number): number[] {
  if (length === 0) return []
  const size = cuts === 'bytes' ? 1 : cuts
  const offsets =
    typeof size === 'number' ? Array.from({ length: Math.ceil(length / size) }, (_, index) => (index + 1) * size) : size
  const inside = [...new Set(offsets)].filter((offset) => offset < length).sort((a, b) => a - b)
  return [...inside, length]
}
