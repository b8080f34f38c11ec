import { isUtf8 } from 'node:buffer'
import { curlOf, piecesOfHeader } from './curl.ts'
import type { Redactor } from './redact.ts'
import { shortened } from './shortened.ts'
import { bodyBytes, bodyLength, type Ending, type Exchange, type HeaderList, type Omission } from './transcript.ts'

/** Text, or base64 where the bytes are not text. */
export type RecordedBody = { readonly text: string } | { readonly base64: string }

/** An exchange as it is written down: redacted, with the time at which each piece of the body came. */
export interface RecordedExchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: HeaderList
    readonly body?: RecordedBody
  }
  /** ISO 8601. */
  readonly sentAt: string
  readonly answer?: {
    readonly status: number
    readonly headers: HeaderList
    readonly headMs: number
    readonly body: RecordedBody
    /** What is missing in the body, which was too long for a record. */
    readonly omitted?: Omission
  }
  /** Milliseconds since the request was sent, and how many bytes came then. */
  readonly arrivals: readonly (readonly [atMs: number, bytes: number])[]
  readonly ending: Ending
  readonly endedAtMs: number
  readonly problem?: string
  /** A shell line that sends the request again, with the keys taken from the environment. */
  readonly curl: string
}

/** A body is recorded up to this size. */
export const recordedBytesMax = 64 * 1024

/** Whether neither body is cut in the record. */
export function isRecordedWhole(exchange: Exchange): boolean {
  const { body } = exchange.request
  return bodyLength(exchange) <= recordedBytesMax && (body === undefined || Buffer.byteLength(body) <= recordedBytesMax)
}

export function recordExchange(whole: Exchange, redactor: Redactor): RecordedExchange {
  const exchange = shortened(whole, recordedBytesMax)
  const { request, head, arrivals, omitted, ending, endedAtMs, problem, sentAt } = exchange
  const clean = (headers: HeaderList): HeaderList =>
    headers.map(([name, value]) => [
      name,
      redactor.text(name.toLowerCase() === 'authorization' ? maskCredentials(value) : value),
    ])
  return {
    request: {
      method: request.method,
      url: redactor.text(request.url),
      headers: request.headers.map(([name, value]) => [name, shapeOf(name, value, redactor)]),
      ...(request.body === undefined ? {} : { body: recordBody(Buffer.from(request.body), redactor) }),
    },
    sentAt: new Date(sentAt).toISOString(),
    ...(head === undefined
      ? {}
      : {
          answer: {
            status: head.status,
            headers: clean(head.headers),
            headMs: round(head.atMs),
            body: recordAnswer(exchange, redactor),
            ...(omitted !== undefined && { omitted }),
          },
        }),
    arrivals: arrivals.map(({ atMs, bytes }) => [round(atMs), bytes.length]),
    ending,
    endedAtMs: round(endedAtMs),
    ...(problem === undefined ? {} : { problem: redactor.text(problem) }),
    curl: curlOf(request, redactor),
  }
}

export function bodyText(body: RecordedBody | undefined): string {
  if (body === undefined) return ''
  return 'text' in body
    ? body.text
    : `(${Math.floor((body.base64.length * 3) / 4)} bytes that are not text, in base64) ${body.base64}`
}

/** What was tried, without the key: `bearer $ASSAY_API_KEY`. */
function shapeOf(name: string, value: string, redactor: Redactor): string {
  return piecesOfHeader(name, value, redactor)
    .map((piece) => (piece.kind === 'plain' ? piece.text : piece.shape))
    .join('')
}

/** Whatever follows the scheme is never shown. */
function maskCredentials(value: string): string {
  const [scheme = '', ...rest] = value.split(' ')
  return rest.length === 0 && scheme.length > 12 ? '[redacted]' : [scheme, ...rest.map(() => '[redacted]')].join(' ')
}

function recordAnswer(exchange: Exchange, redactor: Redactor): RecordedBody {
  const bytes = bodyBytes(exchange)
  const { omitted } = exchange
  if (omitted === undefined) return recordBody(bytes, redactor)
  const first = withoutCutCharacter(bytes.subarray(0, omitted.after))
  const last = withoutCutCharacter(bytes.subarray(omitted.after))
  if (first === undefined || last === undefined) return recordBody(bytes, redactor)
  const told = `… (${omitted.bytes} bytes are left out here; SHA-256 of all ${bytes.length + omitted.bytes}: ${omitted.sha256}) …`
  return { text: [redactor.text(first), told, redactor.text(last)].join('\n') }
}

/** Text of which the first or the last character may be cut; undefined where bytes are no text. */
function withoutCutCharacter(bytes: Buffer): string | undefined {
  const cuts = [0, 1, 2, 3].flatMap((cut) => [bytes.subarray(cut), bytes.subarray(0, bytes.length - cut)])
  return cuts.find((one) => isUtf8(one))?.toString('utf8')
}

function recordBody(bytes: Buffer, redactor: Redactor): RecordedBody {
  const kept = bytes.subarray(0, recordedBytesMax)
  // Bytes that are not text are searched as Latin-1, where every ASCII key can be found.
  if (!isUtf8(bytes))
    return { base64: Buffer.from(redactor.text(kept.toString('latin1')), 'latin1').toString('base64') }
  const more = bytes.length > kept.length ? `… (${bytes.length} bytes in all)` : ''
  return { text: redactor.text(kept.toString('utf8')) + more }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
