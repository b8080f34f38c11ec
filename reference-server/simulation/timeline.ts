import type { Clock } from '../clock.ts'

/** Time that stands still while anything can be done, and then jumps to whatever is due next. */
export interface Timeline {
  nowMs(): number
  /** Calls `work` once after `ms`, unless the function that it returns is called before. */
  after(ms: number, work: () => void): () => void
  /** Does what is due next, if that is before `untilMs`. False when nothing is, and time is then at `untilMs`. */
  step(untilMs: number): boolean
}

interface Due {
  readonly atMs: number
  /** Undefined once it is cancelled. */
  work: (() => void) | undefined
}

export function createTimeline(): Timeline {
  let nowMs = 0
  /** The latest first. What is due at the same time is done in the order in which it was asked for. */
  const due: Due[] = []

  function positionOf(atMs: number): number {
    let [low, high] = [0, due.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((due[middle]?.atMs ?? 0) > atMs) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    nowMs: () => nowMs,
    after(ms, work) {
      const one: Due = { atMs: nowMs + Math.max(0, ms), work }
      due.splice(positionOf(one.atMs), 0, one)
      return () => {
        one.work = undefined
      }
    },
    step(untilMs) {
      for (;;) {
        const next = due.at(-1)
        if (next === undefined || next.atMs > untilMs) break
        due.pop()
        if (next.work === undefined) continue
        nowMs = next.atMs
        next.work()
        return true
      }
      nowMs = untilMs
      return false
    },
  }
}

/** A process, as far as time is concerned. */
export interface Life {
  /** Nothing happens in it any more. */
  isOver: boolean
  /** Until then it stands still, as under a debugger or on a machine that was suspended. */
  stalledUntilMs: number
}

/** The machine's calendar, which may be set. */
export interface Calendar {
  aheadMs: number
}

const EPOCH_MS = Date.UTC(2026, 0, 1)

/** Calls `work` in the process: never once it is over, and late while it stands still. */
export function within(timeline: Timeline, life: Life, work: () => void): void {
  if (life.isOver) return
  const stalledMs = life.stalledUntilMs - timeline.nowMs()
  if (stalledMs > 0) timeline.after(stalledMs, () => within(timeline, life, work))
  else work()
}

/** The clock of one process. What it waits for does not come once the process is over. */
export function clockOf(timeline: Timeline, life: Life, calendar: Calendar): Clock {
  const after = (ms: number, work: () => void): (() => void) => {
    let isCancelled = false
    const cancel = timeline.after(ms, () =>
      within(timeline, life, () => {
        if (!isCancelled) work()
      }),
    )
    return () => {
      isCancelled = true
      cancel()
    }
  }
  return {
    nowMs: timeline.nowMs,
    unixMs: () => EPOCH_MS + calendar.aheadMs + Math.floor(timeline.nowMs()),
    after,
    every(ms, work) {
      let cancel = after(ms, again)
      function again(): void {
        cancel = after(ms, again)
        work()
      }
      return () => cancel()
    },
    sleep: (ms, signal) => new Promise((resolve, reject) => sleepIn(after, ms, signal, resolve, reject)),
  }
}

function sleepIn(
  after: Clock['after'],
  ms: number,
  signal: AbortSignal | undefined,
  resolve: () => void,
  reject: (reason: unknown) => void,
): void {
  if (signal?.aborted === true) {
    reject(signal.reason)
    return
  }
  const cancel = after(ms, () => {
    signal?.removeEventListener('abort', leave)
    resolve()
  })
  function leave(): void {
    cancel()
    reject(signal?.reason)
  }
  signal?.addEventListener('abort', leave, { once: true })
}
