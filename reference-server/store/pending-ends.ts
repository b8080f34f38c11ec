import type { Clock } from '../clock.ts'
import { StoreUnavailable } from './store.ts'

/** How long the end of a request waits for books that do not take it. */
const PATIENCE_MS = 1000
const PAUSE_MS = 100

/** What ends a request in the books. It may be carried out again after it failed. */
type End = () => Promise<void>

/** Ends of requests that the books have not taken yet. Each is tried until they do, whether or not somebody waits for it. */
export interface PendingEnds {
  /** Why the books lag behind what has happened. Until they have caught up, nothing new may be promised. */
  readonly trouble: string | undefined
  /**
   * Resolves when the books have taken the end. Rejects with `StoreUnavailable` when they do not for a second, never
   * during an attempt; the end is still carried out as soon as they answer again. Any other error ends it.
   */
  settle(requestId: string, end: End): Promise<void>
  /** Stops trying. False when there is nothing to stop. */
  cancel(requestId: string): boolean
  /** Tries everything once more, then stops. */
  close(): Promise<void>
}

interface Waiting {
  readonly requestId: string
  readonly end: End
  readonly over: PromiseWithResolvers<void>
  failure: unknown
  attempt: Promise<unknown>
}

export function pendingEnds(clock: Clock): PendingEnds {
  const all = new Map<string, Waiting>()
  let trouble: string | undefined
  let isWorking = false
  let isClosed = false

  function leave(one: Waiting): void {
    if (all.get(one.requestId) === one) all.delete(one.requestId)
    one.over.resolve()
  }

  /** Whether the books answered. */
  async function tryAgain(one: Waiting): Promise<boolean> {
    const outcome = one.end().then(
      () => undefined,
      (error: unknown) => error,
    )
    one.attempt = outcome
    one.failure = await outcome
    if (!(one.failure instanceof StoreUnavailable)) {
      leave(one)
      return true
    }
    trouble = one.failure.message
    return false
  }

  /** One is tried at a time while the books do not answer; the others follow when they do. */
  async function workOff(): Promise<void> {
    if (isWorking) return
    isWorking = true
    while (all.size > 0 && !isClosed) {
      await clock.sleep(PAUSE_MS)
      const [first] = all.values()
      if (first === undefined) break
      if (await tryAgain(first)) await Promise.all([...all.values()].map(tryAgain))
      else if (all.delete(first.requestId)) all.set(first.requestId, first)
    }
    isWorking = false
  }

  return {
    get trouble() {
      return all.size === 0 ? undefined : trouble
    },
    async settle(requestId, end) {
      const startMs = clock.nowMs()
      try {
        return await end()
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        trouble = error.message
        const one = { requestId, end, over: Promise.withResolvers<void>(), failure: error, attempt: Promise.resolve() }
        all.set(requestId, one)
        void workOff()
        const leftMs = Math.max(0, startMs + PATIENCE_MS - clock.nowMs())
        await Promise.race([one.over.promise, clock.sleep(leftMs)])
        await one.attempt
        if (one.failure !== undefined) throw one.failure
      }
    },
    cancel: (requestId) => all.delete(requestId),
    async close() {
      isClosed = true
      await Promise.all([...all.values()].map(tryAgain))
    },
  }
}
