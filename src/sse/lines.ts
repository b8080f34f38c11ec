/** Cuts bytes into lines, each with its line end: LF, CR or both. However the bytes come, the lines are the same. */
export interface LineCutter {
  /** A final CR waits for the byte after it. */
  push(bytes: Uint8Array): void
  /** Ends a line whose CR was the last byte, and gives what is left without a line end. Call once, last. */
  end(): readonly Uint8Array[]
}

export const LF = 10
export const CR = 13

export function createLineCutter(onLine: (line: Uint8Array) => void): LineCutter {
  /** The unfinished line, joined only when it ends, so that a line of many small reads costs linear time. */
  let pieces: Uint8Array[] = []
  let endsWithCr = false

  function finishLine(): void {
    const line = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
    pieces = []
    endsWithCr = false
    onLine(line)
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
      if (start < bytes.length) pieces.push(bytes.subarray(start))
    },
    end() {
      if (endsWithCr) finishLine()
      const rest = pieces
      pieces = []
      return rest
    },
  }
}
