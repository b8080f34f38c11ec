import { setTimeout as sleep } from 'node:timers/promises'

interface Waiting {
  /** The longest wait, in milliseconds. */
  readonly withinMs: number
  /** The longest pause between two looks, in milliseconds; the first ones are shorter. */
  readonly everyMs?: number
}

const pollMs = 25
/** Most of what is waited for is there at once; what is not takes a while. */
const firstPauseMs = 2

/** Looks until what it sees holds or the time is up; resolves to what it saw last. It looks at least once. */
export async function eventually<T>(
  { withinMs, everyMs = pollMs }: Waiting,
  look: () => Promise<T>,
  holds: (seen: T) => boolean,
): Promise<T> {
  const endMs = performance.now() + withinMs
  let seen = await look()
  for (let pauseMs = firstPauseMs; !holds(seen) && performance.now() < endMs; pauseMs *= 2) {
    await sleep(Math.min(pauseMs, everyMs))
    seen = await look()
  }
  return seen
}
