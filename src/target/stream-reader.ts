import { parseJson } from '../json.ts'
import { createSseParser, type SseFrame } from '../sse/parser.ts'
import type { Exchange } from '../wire/transcript.ts'
import type { Appetite } from '../wire/wire.ts'
import { doneMarker, fragmentOf, readStream, type StreamAnswer } from './answer.ts'
import type { StreamReading } from './request.ts'

/** Reads one stream while it arrives, and says how much more of it is wanted. */
export interface StreamReader {
  onBytes(bytes: Uint8Array): Appetite
  /** The whole stream, once its exchange is over. */
  finish(exchange: Exchange): StreamAnswer
}

/** `lingerMs` says how long a stream may stay open after its end marker before it is left. */
export function createStreamReader(
  { leaveAfterContent = Number.POSITIVE_INFINITY, onFirstContent }: StreamReading,
  lingerMs: () => number,
): StreamReader {
  const parser = createSseParser()
  const frames: SseFrame[] = []
  const parsed = new Map<SseFrame, unknown>()
  let content = 0
  let isEnough = false

  /** Whether the frame is the end marker. */
  function take(frame: SseFrame): boolean {
    frames.push(frame)
    if (frame.kind !== 'event') return false
    if (frame.data === doneMarker) return true
    const json = parseJson(frame.data)
    parsed.set(frame, json)
    if ((fragmentOf(json) ?? '') === '') return false
    content += 1
    if (content === 1) onFirstContent?.()
    return false
  }

  return {
    onBytes(bytes) {
      let ended = false
      for (const frame of parser.push(bytes)) if (take(frame)) ended = true
      if (ended) return { endWithinMs: lingerMs() }
      isEnough = content >= leaveAfterContent
      return isEnough ? 'leave' : 'more'
    },
    finish(exchange) {
      // What the parser still holds of a stream that we left has no end to be judged by.
      if (!isEnough) frames.push(...parser.end())
      return readStream(exchange, frames, parsed)
    },
  }
}
