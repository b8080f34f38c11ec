import { setTimeout as sleep } from 'node:timers/promises'
import { createSemaphore } from '../semaphore.ts'

/** Lets a bounded number of requests go at once, and none before a gateway's `Retry-After` has run out. */
export interface Pacer {
  /** Resolves when a request may go; the returned function gives the place back. */
  enter(): Promise<() => void>
  /** No request goes for this long. */
  holdMs(ms: number): void
}

export function createPacer(places: number): Pacer {
  const enter = createSemaphore(places)
  let notBefore = 0
  return {
    async enter() {
      const leave = await enter()
      // Another answer may move the moment while we wait for it.
      for (let ms = notBefore - performance.now(); ms > 0; ms = notBefore - performance.now()) await sleep(ms)
      return leave
    },
    holdMs(ms) {
      notBefore = Math.max(notBefore, performance.now() + ms)
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
