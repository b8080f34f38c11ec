const cr = 13
const lf = 10
const space = 32
const colon = 58
const dataField = Buffer.from('data')

/** Finds one event after another in the bytes of a stream. Its fields say where the data is, so nothing is allocated. */
export class EventReader {
  /** Whether the last event had a `data` field. */
  hasData = false
  /** Where the value of its last `data` line is. */
  dataFrom = 0
  dataTo = 0
  /** The values of all `data` lines, if there was more than one. */
  joined: string | undefined
  /** The last bytes ended in a CR: an LF that comes next belongs to it. */
  private endedInCr = false

  begin(): void {
    this.endedInCr = false
  }

  /** Where the new bytes start, without the rest of a line end that was cut in two. */
  skipLineEnd(bytes: Buffer, from: number, to: number): number {
    if (!this.endedInCr || from >= to) return from
    this.endedInCr = false
    return bytes[from] === lf ? from + 1 : from
  }

  /** Reads lines up to a blank one. Returns where the next event starts, or -1 when there is no blank line yet. */
  read(bytes: Buffer, from: number, to: number): number {
    let lineFrom = from
    this.hasData = false
    this.joined = undefined
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at]
      if (byte !== lf && byte !== cr) continue
      const isBlank = at === lineFrom
      const value = isBlank ? -1 : valueOfData(bytes, lineFrom, at)
      if (value !== -1) this.keepData(bytes, value, at)
      if (byte === cr) {
        if (at + 1 === to) this.endedInCr = true
        else if (bytes[at + 1] === lf) at += 1
      }
      lineFrom = at + 1
      if (isBlank) return lineFrom
    }
    return -1
  }

  private keepData(bytes: Buffer, from: number, to: number): void {
    if (this.hasData) {
      const before = this.joined ?? bytes.toString('utf8', this.dataFrom, this.dataTo)
      this.joined = `${before}\n${bytes.toString('utf8', from, to)}`
    }
    this.hasData = true
    this.dataFrom = from
    this.dataTo = to
  }
}

/** Where the value of a line starts if its field is `data`, else -1. */
function valueOfData(bytes: Buffer, from: number, to: number): number {
  for (let index = 0; index < dataField.length; index += 1) if (bytes[from + index] !== dataField[index]) return -1
  const at = from + dataField.length
  if (at === to) return at
  if (bytes[at] !== colon) return -1
  return at + 1 < to && bytes[at + 1] === space ? at + 2 : at + 1
}
