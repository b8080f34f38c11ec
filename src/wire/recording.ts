import type { Arrival, Ending, Exchange, HeaderList, SentRequest } from './transcript.ts'
import type { SendOptions } from './wire.ts'

/** One exchange while it happens: its times, its bytes and its limits, whichever client carries it. */
export interface Recording {
  /** Resolves when the exchange is over, however it ended. */
  readonly exchange: Promise<Exchange>
  isOver(): boolean
  hasHead(): boolean
  head(status: number, headers: HeaderList): void
  bytes(bytes: Uint8Array): void
  end(ending: Ending, problem?: string): void
}

/** A body is kept up to this size; the rest of a longer one is not read. */
const bodyBytesMax = 64 * 1024 * 1024

let lastExchangeId = 0

/** Exchanges are numbered in the order in which they were sent. `abort` closes the connection of one that we leave. */
export function startRecording(
  request: SentRequest,
  { silenceMsMax, durationMsMax, onBytes }: SendOptions,
  abort: (problem: string) => void,
): Recording {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  lastExchangeId += 1
  const id = lastExchangeId
  const sentAt = Date.now()
  const start = performance.now()
  const elapsedMs = (): number => performance.now() - start
  const arrivals: Arrival[] = []
  let head: Exchange['head']
  let size = 0
  let isOver = false
  const silent = `silent for ${silenceMsMax} ms`
  let awaited = silent
  let silence = setTimeout(leave, silenceMsMax, 'timeout', silent)
  const duration = setTimeout(leave, durationMsMax, 'timeout', `unfinished after ${durationMsMax} ms`)

  function end(ending: Ending, problem?: string): void {
    if (isOver) return
    isOver = true
    clearTimeout(silence)
    clearTimeout(duration)
    const told = problem === undefined ? {} : { problem }
    const answered = head === undefined ? {} : { head }
    resolve({ id, request, sentAt, ...answered, arrivals, ending, endedAtMs: elapsedMs(), ...told })
  }

  function leave(ending: Ending, problem: string): void {
    end(ending, problem)
    abort(problem)
  }

  function listen(ms: number, ending: Ending, problem: string): void {
    if (problem === awaited) {
      silence.refresh()
      return
    }
    awaited = problem
    clearTimeout(silence)
    silence = setTimeout(leave, ms, ending, problem)
  }

  return {
    exchange: promise,
    isOver: () => isOver,
    hasHead: () => head !== undefined,
    head(status, headers) {
      if (isOver) return
      head = { status, headers, atMs: elapsedMs() }
      listen(silenceMsMax, 'timeout', silent)
    },
    bytes(bytes) {
      if (isOver) return
      const atMs = elapsedMs()
      arrivals.push({ bytes, atMs })
      size += bytes.length
      const appetite = size > bodyBytesMax ? 'leave' : (onBytes?.(bytes, atMs) ?? 'more')
      if (appetite === 'leave') leave('left', 'the rest was not read')
      else if (appetite === 'more') listen(silenceMsMax, 'timeout', silent)
      else listen(appetite.endWithinMs, 'left', `still open ${appetite.endWithinMs} ms after its last event`)
    },
    end,
  }
}
