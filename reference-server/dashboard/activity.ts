import type { Clock } from '../clock.ts'
import type { Call, Wrap } from '../gateway/seams.ts'

/** A request on its way. */
export interface LiveRequest {
  readonly number: number
  readonly path: string
  readonly model: string | null
  /** The public id of its key. */
  readonly keyId: string | null
  readonly ageMs: number
}

/** What the gateway has done since it started; rates are differences. */
export interface Counters {
  readonly requests: number
  readonly tokens: number
  /** Answers by the first digit of their status. */
  readonly answers: Readonly<Record<string, number>>
}

export interface Activity {
  /** Watches a gateway from its seams. */
  readonly wrap: Wrap
  live(): readonly LiveRequest[]
  counters(): Counters
}

const SHOWN_MAX = 50

/** Counts requests and remembers those in flight: one addition to a set and one removal a request. */
export function watchActivity(clock: Pick<Clock, 'nowMs'>): Activity {
  const calls = new Map<Call, number>()
  const answers: Record<string, number> = {}
  let requests = 0
  let tokens = 0
  return {
    wrap: {
      serve: (real) => async (call) => {
        requests += 1
        calls.set(call, clock.nowMs())
        try {
          await real(call)
        } finally {
          calls.delete(call)
          const digit = `${Math.floor(call.response.statusCode / 100)}xx`
          answers[digit] = (answers[digit] ?? 0) + 1
        }
      },
      commit: (real) => (reservation, usage, call) => {
        tokens += usage.promptTokens + usage.completionTokens
        real(reservation, usage, call)
      },
    },
    live: () =>
      [...calls].slice(0, SHOWN_MAX).map(([{ number, request, model, caller }, sinceMs]) => ({
        number,
        path: (request.url ?? '/').split('?')[0] ?? '/',
        model: model?.id ?? null,
        keyId: caller?.key.id ?? null,
        ageMs: Math.round(clock.nowMs() - sinceMs),
      })),
    counters: () => ({ requests, tokens, answers: { ...answers } }),
  }
}
