import type { Wire } from '../script/script.ts'

/** Bytes of a body that go out in one write when they are due, and how many chunks end in them. */
export interface Part {
  /** From the request's arrival. */
  readonly atMs: number
  readonly bytes: Uint8Array
  readonly chunks: number
}

/**
 * The same bytes, cut only at these places. A piece is due with its last byte, so that nothing goes out early, and no
 * sooner than `pauseMs` after the piece before it.
 */
export function cutParts(parts: readonly Part[], cuts: NonNullable<Wire['cuts']>, pauseMs = 0): Part[] {
  const whole = Buffer.concat(parts.map(({ bytes }) => bytes))
  const pieces: Part[] = []
  let start = 0
  /** Parts that are completely out, and where the last of them ended. */
  let done = 0
  let doneEnd = 0
  for (const end of cutOffsets(cuts, whole)) {
    let chunks = 0
    let part = parts[done]
    while (part !== undefined && doneEnd + part.bytes.length <= end) {
      doneEnd += part.bytes.length
      chunks += part.chunks
      done += 1
      part = parts[done]
    }
    const last = doneEnd === end ? parts[done - 1] : part
    const earliestMs = (pieces.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) + pauseMs
    pieces.push({ atMs: Math.max(last?.atMs ?? 0, earliestMs), bytes: whole.subarray(start, end), chunks })
    start = end
  }
  return pieces
}

/** Where pieces end, in ascending order, the last at the body's end. */
function cutOffsets(cuts: NonNullable<Wire['cuts']>, whole: Uint8Array): number[] {
  if (whole.length === 0) return []
  const inside = [...new Set(offsetsOf(cuts, whole))].filter((offset) => offset < whole.length).sort((a, b) => a - b)
  return [...inside, whole.length]
}

function offsetsOf(cuts: NonNullable<Wire['cuts']>, whole: Uint8Array): readonly number[] {
  if (cuts === 'characters') return [...whole.keys()].filter((offset) => isContinuation(whole[offset] ?? 0))
  const size = cuts === 'bytes' ? 1 : cuts
  if (typeof size !== 'number') return size
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, index) => (index + 1) * size)
}

/** Whether a byte goes on with a character of UTF-8 that an earlier byte began. */
function isContinuation(byte: number): boolean {
  return byte >> 6 === 0b10
}
