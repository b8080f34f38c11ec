import { setTimeout as sleep } from 'node:timers/promises'
import { createSemaphore } from '../semaphore.ts'

/** Lets a bounded number of requests go at once, none before a `Retry-After` has run out, and fewer where limits are met. */
export interface Pacer {
  /** Resolves when a request may go; the returned function gives the place back. Waits no longer than what remains of the run. */
  enter(remainingMs: () => number): Promise<() => void>
  /** A request met a limit: none goes for this long, and later ones keep a greater distance. */
  limited(retryAfterMs: number): void
  /** A request met no limit: the distance shrinks. */
  passed(): void
}

/** Milliseconds between requests behind the first limit, the factors by which they grow and shrink, and their bounds. */
const distance = { firstMs: 20, grow: 1.5, shrink: 0.97, leastMs: 4, mostMs: 2000 }

export function createPacer(places: number): Pacer {
  const enter = createSemaphore(places)
  let notBefore = 0
  let distanceMs = 0
  const waitMs = (remainingMs: () => number): number => Math.min(notBefore - performance.now(), remainingMs())
  return {
    async enter(remainingMs) {
      const leave = await enter()
      // Another answer may move the moment while we wait for it.
      for (let ms = waitMs(remainingMs); ms > 0; ms = waitMs(remainingMs)) await sleep(ms)
      notBefore = performance.now() + distanceMs
      return leave
    },
    limited(ms) {
      notBefore = Math.max(notBefore, performance.now() + ms)
      distanceMs = Math.min(distance.mostMs, Math.max(distance.firstMs, distanceMs * distance.grow))
    },
    passed() {
      distanceMs = distanceMs < distance.leastMs ? 0 : distanceMs * distance.shrink
    },
  }
}

/** `Retry-After` in milliseconds (RFC 9110 10.2.3: seconds or a date); undefined when it is neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
