/** What happened in one second of the run. Times are in milliseconds. */
export interface SecondRow {
  readonly second: number
  readonly sent: number
  readonly ok: number
  readonly bad: number
  /** Events read in it, of complete and of failed streams. */
  readonly events: number
  /** Times to first token of some of the replies that ended in it. */
  readonly ttft: readonly number[]
  /** The largest gap of any of them; 0 if there is none. */
  readonly stallMax: number
}

const timesMax = 32

interface OpenSecond {
  sent: number
  ok: number
  bad: number
  events: number
  stallMax: number
  readonly ttft: number[]
}

/** One row per second, each of bounded size. */
export class Seconds {
  private readonly all = new Map<number, OpenSecond>()
  private current: OpenSecond = { sent: 0, ok: 0, bad: 0, events: 0, stallMax: 0, ttft: [] }
  private currentSecond = -1

  /** The row of a moment, in milliseconds after the start. */
  at(ms: number): OpenSecond {
    const second = Math.max(0, Math.floor(ms / 1000))
    if (second === this.currentSecond) return this.current
    let found = this.all.get(second)
    if (found === undefined) {
      found = { sent: 0, ok: 0, bad: 0, events: 0, stallMax: 0, ttft: [] }
      this.all.set(second, found)
    }
    this.currentSecond = second
    this.current = found
    return found
  }

  rows(): readonly SecondRow[] {
    return [...this.all].map(([second, row]) => ({ second, ...row })).sort((one, other) => one.second - other.second)
  }
}

/** Counts a complete reply. The first few times to first token are kept; each further one replaces one of them. */
export function countOk(row: OpenSecond, ttftMs: number | undefined, largestGapMs: number): void {
  row.ok += 1
  row.stallMax = Math.max(row.stallMax, largestGapMs)
  if (ttftMs === undefined) return
  if (row.ttft.length < timesMax) row.ttft.push(ttftMs)
  else row.ttft[row.ok % timesMax] = ttftMs
}

export function mergeSeconds(parts: readonly (readonly SecondRow[])[]): readonly SecondRow[] {
  const merged = new Map<number, SecondRow>()
  for (const row of parts.flat()) {
    const before = merged.get(row.second)
    merged.set(
      row.second,
      before === undefined
        ? row
        : {
            second: row.second,
            sent: before.sent + row.sent,
            ok: before.ok + row.ok,
            bad: before.bad + row.bad,
            events: before.events + row.events,
            ttft: [...before.ttft, ...row.ttft],
            stallMax: Math.max(before.stallMax, row.stallMax),
          },
    )
  }
  return [...merged.values()].sort((one, other) => one.second - other.second)
}
