import type { Call } from '../gateway/seams.ts'
import { randomId } from '../random-id.ts'
import { type LoggedRequest, type Outcome, type RequestLog, requestIdAt } from '../store/request-log.ts'
import type { EndedRequest } from './activity.ts'

const DAY_MS = 86_400_000
const SWEEP_MS = 3_600_000
/** Long enough for a batch, short enough for somebody who waits for it. */
const WAIT_MS = 500
/** So many are written at once: enough to share the cost of a statement, too few for charges to wait for. */
const BATCH = 64
/** Where the store is slower than the requests, the log has gaps. */
const WAITING_MAX = 20_000

/**
 * Writes the request log in batches, after the requests: it delays none and fails none. A crash loses the lines that wait,
 * half a second of them at most where the store keeps up; charges are durable before a reply ends, and are never lost.
 */
export interface RequestLogWriter {
  readonly keptDays: number
  add(request: EndedRequest, call: Call): void
  /** Writes what waits, so that whoever reads next finds it. */
  flush(): Promise<void>
}

export function requestLogWriter(store: RequestLog, clock: { unixMs(): number }, keptDays: number): RequestLogWriter {
  let waiting: LoggedRequest[] = []
  let writing: Promise<void> = Promise.resolve()
  let writes = 0
  let timer: NodeJS.Timeout | undefined
  let nextSweepMs = 0

  async function write(lines: readonly LoggedRequest[]): Promise<void> {
    for (let from = 0; from < lines.length; from += BATCH) await store.logRequests(lines.slice(from, from + BATCH))
    const nowMs = clock.unixMs()
    if (nowMs < nextSweepMs) return
    nextSweepMs = nowMs + SWEEP_MS
    await store.forgetRequests(nowMs - keptDays * DAY_MS)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const lines = waiting
    waiting = []
    writes += 1
    // A store that fails says so to the requests themselves; here it only costs these lines of the log.
    writing = writing
      .then(() => write(lines))
      .catch(() => undefined)
      .finally(() => {
        writes -= 1
      })
    return writing
  }

  /** While the store is busy with a batch, the next one grows. */
  function flushUnlessBusy(): void {
    if (writes === 0) void flush()
    else timer = setTimeout(flushUnlessBusy, WAIT_MS).unref()
  }

  return {
    keptDays,
    add(request, call) {
      const line = lineOf(request, call, clock.unixMs())
      if (line === undefined || waiting.length >= WAITING_MAX) return
      waiting.push(line)
      if (waiting.length >= BATCH && writes === 0) void flush()
      else timer ??= setTimeout(flushUnlessBusy, WAIT_MS).unref()
    },
    flush,
  }
}

/**
 * Nothing for a request without a key: it is nobody's, and strangers must not fill the log. The list of models is not
 * worth a line.
 */
function lineOf(request: EndedRequest, { caller }: Call, endedAt: number): LoggedRequest | undefined {
  const { model, status, code, firstTokenMs, durationMs, method } = request
  if (caller === undefined || method !== 'POST') return undefined
  const at = endedAt - durationMs
  return {
    id: request.requestId ?? randomId(requestIdAt(at)),
    at,
    accountId: caller.key.accountId,
    keyId: caller.key.id,
    outcome: outcomeOf(request),
    status,
    durationMs,
    ...(model !== null && { model }),
    ...(code !== null && { code }),
    ...(firstTokenMs !== null && { firstTokenMs }),
  }
}

export function outcomeOf({ left, code, status }: EndedRequest): Outcome {
  if (left) return 'left'
  if (code === null) return 'ok'
  return status >= 400 && status < 500 ? 'refused' : 'failed'
}
