const initialLength = 64
const lengthMax = 4096

/**
 * The gaps of one stream, kept until it is known whether they count. It stays small however long the stream is: beyond
 * 4,096 gaps it keeps classes of three significant digits, as a histogram does.
 */
export class GapLog {
  private values = new Float64Array(initialLength)
  private length = 0
  /** Events of one read have no gap between them, and there are often many. */
  private zeros = 0
  private readonly classes = new Map<number, number>()
  /** The largest of all, in milliseconds; zero if there is none. */
  largestMs = 0
  count = 0

  clear(): void {
    this.length = 0
    this.zeros = 0
    this.count = 0
    this.largestMs = 0
    if (this.classes.size > 0) this.classes.clear()
  }

  push(gapMs: number): void {
    this.count += 1
    if (gapMs === 0) {
      this.zeros += 1
      return
    }
    if (this.length === this.values.length) this.makeRoom()
    this.values[this.length] = gapMs
    this.length += 1
    if (gapMs > this.largestMs) this.largestMs = gapMs
  }

  /** Visits every gap, or every class of gaps with their number. */
  forEach(visit: (gapMs: number, count: number) => void): void {
    if (this.zeros > 0) visit(0, this.zeros)
    for (let at = 0; at < this.length; at += 1) visit(this.values[at] ?? 0, 1)
    for (const [gapMs, count] of this.classes) visit(gapMs, count)
  }

  private makeRoom(): void {
    if (this.length < lengthMax) {
      const grown = new Float64Array(this.length * 2)
      grown.set(this.values)
      this.values = grown
      return
    }
    for (const gapMs of this.values) {
      const key = threeDigits(gapMs)
      this.classes.set(key, (this.classes.get(key) ?? 0) + 1)
    }
    this.length = 0
  }
}

/** Moves no value by more than a microsecond below a millisecond, and by more than a thousandth of itself above. */
function threeDigits(ms: number): number {
  const step = ms < 1 ? 1e-3 : 2 ** Math.floor(Math.log2(ms) - 10)
  return Math.round(ms / step) * step
}
