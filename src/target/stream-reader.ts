import { parseJson } from '../json.ts'
import { createSseParser, type SseEvent, type SseFrame } from '../sse/parser.ts'
import { keepEnds } from '../wire/ends.ts'
import { bodyBytes, type Exchange } from '../wire/transcript.ts'
import type { Appetite } from '../wire/wire.ts'
import { type Chunk, doneMarker, fragmentOf, type StreamAnswer } from './answer.ts'
import type { StreamReading } from './request.ts'

/** Reads one stream while it arrives, and says how much more of it is wanted. */
export interface StreamReader {
  onBytes(bytes: Uint8Array, atMs: number): Appetite
  /** The whole stream, once its exchange is over. */
  finish(exchange: Exchange): StreamAnswer
}

/** A frame, and the chunk that it is. */
interface Taken {
  readonly frame: SseFrame
  readonly chunk?: Chunk
}

/** No event of a stream is as long. */
const eventBytesMax = 4 * 1024 * 1024
/** Nor has one as many comments, empty lines and other frames that are no events. */
const idleFramesMax = 100_000
/** What is kept of the ends of a stream, and about what a frame takes beside its bytes. */
const endsMax = { first: 8 * 1024 * 1024, last: 2 * 1024 * 1024 }
const frameWeight = 1024
/** The text of a million tokens. */
const contentCharsMax = 4_000_000

/** `lingerMs` says how long a stream may stay open after its end marker before it is left. */
export function createStreamReader(
  { leaveAfterContent = Number.POSITIVE_INFINITY, onFirstContent }: StreamReading,
  lingerMs: () => number,
): StreamReader {
  const parser = createSseParser()
  const linger = lingering(lingerMs)
  let omitsFrames = false
  const taken = keepEnds<Taken>(
    endsMax,
    ({ frame }) => frame.raw.length + frameWeight,
    () => {
      omitsFrames = true
    },
  )
  let fragments: string[] = []
  let content = ''
  let contentChunks = 0
  let bytesRead = 0
  let bytesTaken = 0
  let idleFrames = 0
  let isDone = false
  let isEnough = false

  function take(frame: SseFrame, atMs: number): void {
    bytesTaken = frame.end
    if (frame.kind !== 'event') idleFrames += 1
    // A client stops at the end marker: what comes after it is no part of the reply.
    if (frame.kind !== 'event' || frame.data === doneMarker || isDone) {
      taken.push({ frame })
      isDone ||= frame.kind === 'event'
      return
    }
    const json = parseJson(frame.data)
    taken.push({ frame, chunk: { frame, json, atMs } })
    const fragment = fragmentOf(json) ?? ''
    if (fragment === '') return
    if (content.length < contentCharsMax) fragments.push(fragment)
    contentChunks += 1
    if (contentChunks === 1) onFirstContent?.()
  }

  function joinContent(): void {
    content += fragments.join('')
    fragments = []
  }

  return {
    onBytes(bytes, atMs) {
      bytesRead += bytes.length
      for (const frame of parser.push(bytes)) take(frame, atMs)
      joinContent()
      if (isDone) return linger(atMs)
      isEnough = contentChunks >= leaveAfterContent
      if (isEnough) return 'leave'
      return bytesRead - bytesTaken > eventBytesMax || idleFrames > idleFramesMax ? 'too-long' : 'more'
    },
    finish(exchange) {
      // What the parser still holds of a stream that we left has no end to be judged by.
      const lastMs = exchange.arrivals.at(-1)?.atMs ?? exchange.endedAtMs
      if (!isEnough) for (const frame of parser.end()) take(frame, lastMs)
      joinContent()
      const isPartial = omitsFrames || exchange.omitted !== undefined || exchange.ending === 'too-long'
      return streamOf(exchange, [...taken.first(), ...taken.last()], {
        content,
        done: isDone,
        ...(isPartial && { isPartial }),
      })
    },
  }
}

/** How long a stream is still listened to that has said that it is done, whatever it says after that. */
function lingering(lingerMs: () => number): (atMs: number) => Appetite {
  let leaveAtMs: number | undefined
  return (atMs) => {
    leaveAtMs ??= atMs + lingerMs()
    return { endWithinMs: Math.max(0, leaveAtMs - atMs) }
  }
}

/** The text of a stream is seldom looked at, and not kept beside its frames. */
function streamOf(
  exchange: Exchange,
  taken: readonly Taken[],
  read: Pick<StreamAnswer, 'content' | 'done' | 'isPartial'>,
): StreamAnswer {
  const frames = taken.map(({ frame }) => frame)
  return {
    ...read,
    exchange,
    status: exchange.head?.status,
    get text() {
      return bodyBytes(exchange).toString('utf8')
    },
    get json() {
      return parseJson(this.text)
    },
    frames,
    events: frames.filter((frame): frame is SseFrame & SseEvent => frame.kind === 'event'),
    chunks: taken.flatMap(({ chunk }) => chunk ?? []),
  }
}

/** A recorded stream, read as it was when it came. */
export function readStream(exchange: Exchange): StreamAnswer {
  const reader = createStreamReader({}, () => 0)
  for (const { bytes, atMs } of exchange.arrivals) reader.onBytes(bytes, atMs)
  return reader.finish(exchange)
}
