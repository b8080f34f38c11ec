import { at, listAt, numberAt, parseJson, textAt } from '../json.ts'
import type { SseEvent, SseFrame } from '../sse/parser.ts'
import { bodyBytes, type Exchange, mediaType } from '../wire/transcript.ts'

/** What came back for one request, whatever it was. */
export interface Answer {
  readonly exchange: Exchange
  /** Absent when the exchange ended before a head. */
  readonly status: number | undefined
  /** The body as text. */
  readonly text: string
  /** The body as a JSON value; undefined when it is not JSON. */
  readonly json: unknown
  /** Some of it was too much to be read or kept: what is missing in it says nothing. */
  readonly isPartial?: true
}

/** One data event before the end marker. */
export interface Chunk {
  readonly frame: SseFrame & SseEvent
  /** The event's data as a JSON value; undefined when it is not JSON. */
  readonly json: unknown
  /** When its last byte came, in milliseconds since the request was sent. */
  readonly atMs: number
}

/** Of a very long stream the lists hold the beginning and the end; `exchange.omitted` then says so. */
export interface StreamAnswer extends Answer {
  readonly frames: readonly SseFrame[]
  /** Every data event in order, with the end marker. */
  readonly events: readonly (SseFrame & SseEvent)[]
  /** The data events before the end marker. */
  readonly chunks: readonly Chunk[]
  /** The joined fragments of the first choice. */
  readonly content: string
  /** Whether the end marker came. */
  readonly done: boolean
}

export function isStream(answer: Answer | StreamAnswer): answer is StreamAnswer {
  return 'chunks' in answer
}

export const doneMarker = '[DONE]'

export function readAnswer(exchange: Exchange): Answer {
  const text = bodyBytes(exchange).toString('utf8')
  const read = { exchange, status: exchange.head?.status, text }
  return exchange.ending === 'too-long'
    ? { ...read, json: undefined, isPartial: true }
    : { ...read, json: parseJson(text) }
}

/** The text fragment of a chunk's first choice. */
export function fragmentOf(chunk: unknown): string | undefined {
  return textAt(chunk, 'choices', 0, 'delta', 'content')
}

/** Chunks with a fragment that is not empty. */
export function contentChunks({ chunks }: StreamAnswer): readonly Chunk[] {
  return chunks.filter(({ json }) => (fragmentOf(json) ?? '') !== '')
}

/** The text of a reply that is not streamed; undefined when it has none. */
export function contentOf({ json }: Answer): string | undefined {
  return textAt(json, 'choices', 0, 'message', 'content')
}

/** The finish reason of a reply, or the first of a stream. */
export function finishReasonOf(answer: Answer | StreamAnswer): unknown {
  if (!isStream(answer)) return at(answer.json, 'choices', 0, 'finish_reason')
  return answer.chunks.map(({ json }) => at(json, 'choices', 0, 'finish_reason')).find((reason) => reason != null)
}

/** The text, in either mode; empty when there is none. */
export function textOf(answer: Answer | StreamAnswer): string {
  return isStream(answer) ? answer.content : (contentOf(answer) ?? '')
}

/** The completion tokens that a reply reports, or the last of those that a stream reports. */
export function completionTokensOf(answer: Answer | StreamAnswer): number | undefined {
  const told = isStream(answer) ? answer.chunks.map(({ json }) => json) : [answer.json]
  return told.map((json) => numberAt(json, 'usage', 'completion_tokens')).findLast((count) => count !== undefined)
}

/** How a stream ended, as its client sees it: with its finish reason, without one, or broken off. */
export function endOf(stream: StreamAnswer): string {
  const { ending } = stream.exchange
  // A stream that stays open behind its end marker is left by us.
  const isWhole = ending === 'complete' || (ending === 'left' && stream.done)
  if (!isWhole) return `broken off (${ending})`
  return String(finishReasonOf(stream) ?? 'without a finish reason')
}

/** Whether a stream came to its end: with the end marker, or as one ends that has none, in order and with a finish reason. */
export function hasItsEnd(stream: StreamAnswer): boolean {
  if (stream.done) return true
  return stream.exchange.ending === 'complete' && finishReasonOf(stream) !== undefined && !hasErrorFrame(stream)
}

export function isSuccess({ status }: Pick<Answer, 'status'>): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** Whether the answer refuses the request. A 429 counts too: it is neither a success nor a crash. */
export function isClientError({ status }: Pick<Answer, 'status'>): boolean {
  return status !== undefined && status >= 400 && status < 500
}

/** Whether it was refused for the moment: a limit or an outage says nothing about the request. */
export function isRefusedForNow({ status }: { readonly status?: number | undefined }): boolean {
  return status === 429 || status === 503
}

/** Whether the answer decides anything. A 429, a 503, a cut or a silence may pass: it decides nothing yet. */
export function isDecisive(answer: Answer): boolean {
  if (answer.status === undefined || isRefusedForNow(answer)) return false
  if (isStream(answer) && hasErrorFrame(answer)) return false
  const { ending } = answer.exchange
  return (
    ending === 'complete' || ending === 'left' || ending === 'too-long' || ('done' in answer && answer.done === true)
  )
}

/** Fields in which frameworks report an error. The contract does not show how an error looks inside a stream. */
const errorWords = ['error', 'errors', 'detail', 'message', 'title'] as const

/** Whether a stream reports a failure in-band. */
export function hasErrorFrame({ chunks }: StreamAnswer): boolean {
  return chunks.some(({ frame, json }) => frame.name === 'error' || isErrorEvent(json))
}

/** Whether an event reports an error, in place of a chunk or beside its choices. */
export function isErrorEvent(json: unknown): boolean {
  if (at(json, 'choices') !== undefined) return Boolean(at(json, 'error'))
  // With an id it is a chunk that lacks its choices, unless it has an `error`.
  return (
    at(json, 'error') != null || (at(json, 'id') === undefined && errorWords.some((word) => at(json, word) != null))
  )
}

/** Whether an error can be read: no body, JSON, or text that does not claim to be anything else. */
export function isReadableError({ text, json, exchange }: Answer): boolean {
  if (text.trim() === '' || json !== undefined) return true
  return (mediaType(exchange) ?? 'text/plain') === 'text/plain' && !text.trimStart().startsWith('<')
}

/** Whether a 2xx answer has the outline of a completion. */
export function resemblesCompletion(answer: Answer): boolean {
  return isSuccess(answer) && listAt(answer.json, 'choices').length > 0
}
