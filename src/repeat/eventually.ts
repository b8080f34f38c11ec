import { setTimeout as sleep } from 'node:timers/promises'

interface Waiting {
  /** The longest wait, in milliseconds. */
  readonly withinMs: number
  /** The pause between two looks, in milliseconds. */
  readonly everyMs?: number
}

const pollMs = 25

/** Looks until what it sees holds or the time is up; resolves to what it saw last. It looks at least once. */
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
