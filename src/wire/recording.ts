import { keepArrivals } from './kept-arrivals.ts'
import type { Ending, Exchange, HeaderList, SentRequest } from './transcript.ts'
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

/** How much of a body is read where nothing else is said. */
const defaultBytesMax = 4 * 1024 * 1024
/** How much is kept of the ends of a body. */
const endBytes = { first: 2 * 1024 * 1024, last: 512 * 1024 }
const wholeBody = { first: Number.POSITIVE_INFINITY, last: 0 }

/** What the pieces of a body may weigh, however few bytes are in them: a server may well send a few at a time. */
const weightMax = 24 * 1024 * 1024

let lastExchangeId = 0

/** Exchanges are numbered in the order in which they were sent. `abort` closes the connection of one that we leave. */
export function startRecording(
  request: SentRequest,
  { silenceMsMax, durationMsMax, bytesMax = defaultBytesMax, keepsEnds = false, onBytes }: SendOptions,
  abort: (problem: string) => void,
): Recording {
  const { promise, resolve } = Promise.withResolvers<Exchange>()
  lastExchangeId += 1
  const id = lastExchangeId
  const sentAt = Date.now()
  const start = performance.now()
  const elapsedMs = (): number => performance.now() - start
  const kept = keepArrivals(keepsEnds ? endBytes : wholeBody)
  let head: Exchange['head']
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
    resolve({ id, request, sentAt, ...answered, ...kept.all(), ending, endedAtMs: elapsedMs(), ...told })
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
      kept.add({ bytes, atMs })
      const wanted = onBytes?.(bytes, atMs) ?? 'more'
      const isTooLong = kept.length() > bytesMax || kept.weight() > Math.max(bytesMax, weightMax)
      const appetite = wanted !== 'leave' && isTooLong ? 'too-long' : wanted
      if (appetite === 'leave') leave('left', 'the rest was not read')
      else if (appetite === 'too-long') leave('too-long', `no end in ${kept.length()} bytes, the rest was not read`)
      else if (appetite === 'more') listen(silenceMsMax, 'timeout', silent)
      else listen(appetite.endWithinMs, 'left', `still open ${appetite.endWithinMs} ms after its last event`)
    },
    end,
  }
}
