import type { Clock } from '../clock.ts'
import type { Call, Wrap } from '../gateway/seams.ts'

/** A request in flight. */
export interface LiveRequest {
  readonly number: number
  readonly path: string
  readonly model: string | null
  /** The public id of its key. */
  readonly keyId: string | null
  readonly ageMs: number
}

/** What the operator may know of a request that is over: only the public id of its key, and nothing that was said. */
export interface EndedRequest extends Omit<LiveRequest, 'ageMs'> {
  readonly method: string
  readonly status: number
  /** The name under which the books know it. */
  readonly requestId: string | null
  readonly durationMs: number
  /** Until a stream's first text went out; null for other answers. */
  readonly firstTokenMs: number | null
  /** The code of the error that it was answered with, at its beginning or in the middle of a stream. */
  readonly code: string | null
  /** The node that it was last sent to. */
  readonly nodeId: string | null
  /** Whether the client left before the answer was complete. */
  readonly left: boolean
}

/** What the gateway has done since it started. Rates are differences of two readings. */
export interface Counters {
  readonly requests: number
  readonly tokens: number
  /** Answers by the first digit of their status. */
  readonly answers: Readonly<Record<string, number>>
  /** Requests by duration: how many took at most each number of seconds, and the sum of all. */
  readonly durations: { readonly upToS: readonly (readonly [number, number])[]; readonly sumS: number }
}

export interface Activity {
  /** Watches a gateway through its seams. */
  readonly wrap: Wrap
  live(): readonly LiveRequest[]
  counters(): Counters
}

const SHOWN_MAX = 50
const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

/** What is noted of a request while it is in flight. */
interface Course {
  readonly sinceMs: number
  firstTokenMs: number | null
  code: string | null
}

/** Counts requests and remembers those in flight, at the cost of one addition to a map and one removal per request. */
export function watchActivity(
  clock: Pick<Clock, 'nowMs'>,
  onEnd: ((request: EndedRequest, call: Call) => void) | undefined,
): Activity {
  const calls = new Map<Call, Course>()
  const answers: Record<string, number> = {}
  const buckets = BUCKETS_S.map(() => 0)
  let requests = 0
  let tokens = 0
  let sumS = 0

  function ended(call: Call, { sinceMs, firstTokenMs, code }: Course): void {
    const durationMs = clock.nowMs() - sinceMs
    const digit = `${Math.floor(call.response.statusCode / 100)}xx`
    answers[digit] = (answers[digit] ?? 0) + 1
    sumS += durationMs / 1000
    const first = BUCKETS_S.findIndex((bound) => durationMs / 1000 <= bound)
    if (first !== -1) buckets[first] = (buckets[first] ?? 0) + 1
    onEnd?.(
      {
        ...identityOf(call),
        method: call.request.method ?? '',
        status: call.response.statusCode,
        requestId: call.requestId ?? null,
        durationMs: Math.round(durationMs),
        firstTokenMs,
        code,
        nodeId: [...call.tried].at(-1) ?? null,
        left: call.left.aborted,
      },
      call,
    )
  }

  return {
    wrap: {
      serve: (real) => async (call) => {
        const course = { sinceMs: clock.nowMs(), firstTokenMs: null, code: null }
        requests += 1
        calls.set(call, course)
        try {
          await real(call)
        } finally {
          calls.delete(call)
          ended(call, course)
        }
      },
      // A stream is opened when there is text for it.
      openStream: (real) => (head, call) => {
        const course = calls.get(call)
        if (course !== undefined) course.firstTokenMs = Math.round(clock.nowMs() - course.sinceMs)
        return real(head, call)
      },
      errorAnswer: (real) => (error, call) => {
        const course = calls.get(call)
        if (course !== undefined) course.code = error.code
        return real(error, call)
      },
      commit: (real) => (reservation, usage, call) => {
        tokens += usage.promptTokens + usage.completionTokens
        real(reservation, usage, call)
      },
    },
    live: () =>
      [...calls]
        .slice(0, SHOWN_MAX)
        .map(([call, { sinceMs }]) => ({ ...identityOf(call), ageMs: Math.round(clock.nowMs() - sinceMs) })),
    counters: () => ({ requests, tokens, answers: { ...answers }, durations: { upToS: cumulated(buckets), sumS } }),
  }
}

function cumulated(buckets: readonly number[]): Counters['durations']['upToS'] {
  return BUCKETS_S.map((bound, at) => [bound, buckets.slice(0, at + 1).reduce((sum, count) => sum + count, 0)])
}

function identityOf({ number, request, model, caller }: Call): Omit<LiveRequest, 'ageMs'> {
  return {
    number,
    path: (request.url ?? '/').split('?')[0] ?? '/',
    model: model?.id ?? null,
    keyId: caller?.key.id ?? null,
  }
}
