import type { Clock } from './clock.ts'

/** A clock whose calendar may be set for a while, to write the books of the past. */
export interface SetClock extends Clock {
  /** Undefined: the real time again. */
  set(unixMs: number | undefined): void
}

export function setClock(clock: Clock): SetClock {
  let past: number | undefined
  return {
    ...clock,
    unixMs: () => past ?? clock.unixMs(),
    set(unixMs) {
      past = unixMs
    },
  }
}
