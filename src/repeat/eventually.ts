import { setTimeout as sleep } from 'node:timers/promises'

interface Waiting {
  /** How long at most, in milliseconds. */
  readonly withinMs: number
  /** How long between two looks, in milliseconds. */
  readonly everyMs?: number
}

const pollMs = 25

/** Looks until what is seen holds or the time is over; resolves to what was seen last. It looks once at least. */
export async function eventually<T>(
  { withinMs, everyMs = pollMs }: Waiting,
  look: () => Promise<T>,
  holds: (seen: T) => boolean,
): Promise<T> {
  const endMs = performance.now() + withinMs
  let seen = await look()
  while (!holds(seen) && performance.now() < endMs) {
    await sleep(everyMs)
    seen = await look()
  }
  return seen
}
