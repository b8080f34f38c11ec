const bytesMax = 4 * 1024 * 1024

/** The start of an event whose end has not come yet, in a buffer that is reused. */
export class Carry {
  bytes = Buffer.alloc(1024)
  length = 0

  /** Adds bytes; false if that makes the event larger than 4 MB, and then they are dropped. */
  keep(bytes: Buffer, from: number, to: number): boolean {
    const length = this.length + (to - from)
    if (length > bytesMax) return false
    if (length > this.bytes.length) {
      const grown = Buffer.alloc(2 ** Math.ceil(Math.log2(length)))
      this.bytes.copy(grown, 0, 0, this.length)
      this.bytes = grown
    }
    bytes.copy(this.bytes, this.length, from, to)
    this.length = length
    return true
  }
}
