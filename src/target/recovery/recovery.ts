import { setTimeout as sleep } from 'node:timers/promises'
import { Unsettled } from '../unsettled.ts'

/** How a reply comes. A target may be calm in one mode and silent in the other. */
export type Mode = 'json' | 'stream'

const modes: readonly Mode[] = ['json', 'stream']

/** What a target does when nothing disturbs it. */
interface CalmTarget {
  /** One plain request. Resolves to the milliseconds that its answer took, or to how none came. */
  ask(mode: Mode): Promise<number | 'silent' | 'unreachable'>
  /** What such a request took at the start of the run, in milliseconds. */
  readonly plainMs: number
  /** After so many milliseconds without any answer the target counts as gone, and after so many without a connection. */
  readonly goneMs: number
  readonly goneUnreachableMs: number
}

/**
 * What a run does after a silence, and after a reply that nothing bounds was left: it sends nothing until plain requests
 * are answered about as fast as at the start. A target that was given work which nobody waits for any more is not blamed
 * for what waits for that work.
 */
export interface Recovery {
  /** Takes over how the target behaves when it is calm; before that, nothing is waited for. */
  watch(calm: CalmTarget): void
  /** A request got no answer in time, or no connection. `request` names it, should the target never answer again. */
  noteSilence(request: string, mode: Mode): void
  /** A reply that nothing bounds was not read to its end. `request` names it. */
  noteLeftWork(request: string, mode: Mode): void
  /** Whether the target may still be at such a reply: it has not been calm since. */
  mayBeAtWork(): boolean
  /** Resolves when the target is calm. Throws `Unsettled` when it has stopped answering in this mode. */
  untilCalm(mode: Mode): Promise<void>
  /** Whether a plain answer that took so long came from a calm target. */
  isCalm(tookMs: number): boolean
}

/** A plain request may take this many times what it took at the start, or so much longer. */
const slower = { factor: 3, ms: 500 }
/** A connection that is refused disturbs nobody. */
const connectEveryMs = 2000
const pausesMs = [0, 250, 500, 1000, 2000, 4000, 8000, 15_000] as const

export function createRecovery(): Recovery {
  let calm: CalmTarget | undefined
  let waiting: Promise<void> | undefined
  const gone = new Map<Mode, string>()
  let isWorkLeft = false

  const isCalm = (tookMs: number): boolean =>
    calm === undefined || tookMs <= Math.max(calm.plainMs * slower.factor, calm.plainMs + slower.ms)

  async function recover(target: CalmTarget, request: string, mode: Mode): Promise<void> {
    const startMs = performance.now()
    let answeredMs = startMs
    let took: Awaited<ReturnType<CalmTarget['ask']>> = 'silent'
    for (let turn = 0; ; turn += 1) {
      const pauseMs = pausesMs[Math.min(turn, pausesMs.length - 1)] ?? 0
      await sleep(took === 'unreachable' ? Math.min(pauseMs, connectEveryMs) : pauseMs)
      took = await target.ask(mode)
      if (typeof took === 'number') {
        answeredMs = performance.now()
        if (isCalm(took)) {
          isWorkLeft = false
          return
        }
      }
      // Two requests in a row, at least: the first may have waited for what was under way.
      const goneMs = took === 'unreachable' ? target.goneUnreachableMs : target.goneMs
      if (turn > 0 && performance.now() - answeredMs > goneMs) {
        const isDown = took === 'unreachable'
        const what = isDown ? 'taking connections' : mode === 'json' ? 'answering' : 'answering streams'
        const reason = `the gateway stopped ${what}; the first request without an answer was ${request}`
        for (const each of isDown ? modes : [mode]) gone.set(each, reason)
        return
      }
      // Alive and slower than at the start for as long: that is how it is now.
      if (performance.now() - startMs > 2 * target.goneMs) return
    }
  }

  function noteSilence(request: string, mode: Mode): void {
    if (calm === undefined || gone.has(mode)) return
    // Where the budget of the run is used up, the next request says so.
    waiting ??= recover(calm, request, mode)
      .catch((error: unknown) => {
        if (!(error instanceof Unsettled)) throw error
      })
      .finally(() => {
        waiting = undefined
      })
  }

  return {
    watch(target) {
      calm = target
    },
    noteSilence,
    noteLeftWork(request, mode) {
      // One that is gone was so before.
      if (gone.size === 0) isWorkLeft = true
      noteSilence(request, mode)
    },
    mayBeAtWork: () => isWorkLeft,
    async untilCalm(mode) {
      await waiting
      const reason = gone.get(mode)
      if (reason !== undefined) throw new Unsettled('target', reason)
    },
    isCalm,
  }
}
