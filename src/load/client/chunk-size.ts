const cr = 13
const lf = 10
const tab = 9
const space = 32
const semicolon = 59
const digitsMax = 8

/** The line before a chunk: its size in hexadecimal digits, and extensions that mean nothing here. */
export class ChunkSize {
  value = 0
  /** Whether the line is complete. */
  isRead = false
  isBroken = false
  private digits = 0
  private isRest = false

  begin(): void {
    this.value = 0
    this.isRead = false
    this.isBroken = false
    this.digits = 0
    this.isRest = false
  }

  /** Reads up to the end of the line, or of the bytes; where that is. */
  read(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0
      if (this.isRest) {
        if (byte !== lf) continue
        this.isRead = true
        return at + 1
      }
      const digit = hexDigit(byte)
      if (digit >= 0 && this.digits < digitsMax) {
        this.value = this.value * 16 + digit
        this.digits += 1
      } else if (digit === -1 && this.digits > 0 && isAfterSize(byte)) this.isRest = true
      else {
        this.isBroken = true
        return to
      }
    }
    return to
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  if (byte >= 97 && byte <= 102) return byte - 87
  return byte >= 65 && byte <= 70 ? byte - 55 : -1
}

function isAfterSize(byte: number): boolean {
  return byte === cr || byte === semicolon || byte === space || byte === tab
}
