import { at, parseJson, textAt } from '../../src/json.ts'
import { parseSse } from '../../src/sse/parser.ts'
import { bodyText, type RecordedExchange } from '../../src/wire/recorded-exchange.ts'
import { readRulings } from '../rulings/rulings.ts'
import { readTape } from '../rulings/tape.ts'

/** How streams end, and what the user of a client has to get of each: all of its text, or an error. */
export const endings = {
  whole: 'text',
  'no [DONE]': 'text',
  'no finish reason': 'text',
  'error event': 'error',
  'cut off': 'error',
  'breaks off': 'error',
  'no event stream': 'error',
} as const

/** A stream that a real server sent. */
export interface RecordedStream {
  /** Its folder in `results/`, as SERVER/VERSION. */
  readonly server: string
  readonly ending: keyof typeof endings
  /** As they were sent, each with its blank line. */
  readonly events: readonly string[]
  /** Whether the connection was reset. */
  readonly isCut: boolean
}

/** Of each server and each ending the longest stream that its tape has. */
export function recordedStreams(): readonly RecordedStream[] {
  return readRulings().flatMap(({ name, column }) => {
    const streams = (readTape(name)?.exchanges ?? []).flatMap((exchange) => streamOf(column, exchange))
    const longestLast = streams.sort((one, other) => one.events.length - other.events.length)
    return [...new Map(longestLast.map((stream) => [stream.ending, stream])).values()]
  })
}

function streamOf(server: string, { answer, ending }: RecordedExchange): readonly RecordedStream[] {
  const type = answer?.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  // What Assay left itself says nothing about its end.
  if (answer?.status !== 200 || !type.startsWith('text/event-stream') || ending === 'left') return []
  const events = bodyText(answer.body).split(/(?<=\n\n)/)
  const isCut = ending !== 'complete'
  return [{ server, ending: endingOf(events, isCut), events, isCut }]
}

function endingOf(events: readonly string[], isCut: boolean): RecordedStream['ending'] {
  const chunks = chunksOf(events)
  const isDone = events.some((event) => event.includes('[DONE]'))
  const isFinished = chunks.some((chunk) => textAt(chunk, 'choices', 0, 'finish_reason') !== undefined)
  if (chunks.length === 0 && !isDone) return 'no event stream'
  if (chunks.some((chunk) => at(chunk, 'error') !== undefined)) return 'error event'
  if (isFinished) return isDone ? 'whole' : 'no [DONE]'
  if (isDone) return 'no finish reason'
  return isCut ? 'cut off' : 'breaks off'
}

/** The chunks among these events. */
function chunksOf(events: readonly string[]): readonly unknown[] {
  return parseSse(Buffer.from(events.join(''))).flatMap((frame) => {
    const chunk = frame.kind === 'event' ? parseJson(frame.data) : undefined
    return chunk === undefined ? [] : [chunk]
  })
}

/** What these events say. */
export function textOf(events: readonly string[]): string {
  return chunksOf(events)
    .map((chunk) => textAt(chunk, 'choices', 0, 'delta', 'content') ?? '')
    .join('')
}
