import type { RecordedBody, RecordedExchange } from './recorded-exchange.ts'
import type { Exchange, HeaderList, SentRequest } from './transcript.ts'
import type { Wire } from './wire.ts'

/** Thrown when a request was not recorded. */
export class OffTape extends Error {
  override readonly name = 'OffTape'
}

/** What `recordExchange` wrote, as an exchange again; undefined when it cut the body short. */
export function readRecorded(recorded: RecordedExchange, id: number): Exchange | undefined {
  const { request, answer, arrivals, ending, endedAtMs, problem, sentAt } = recorded
  const bytes = bytesOf(answer?.body)
  const size = arrivals.reduce((sum, [, length]) => sum + length, 0)
  if (answer !== undefined && bytes.length !== size) return undefined
  let offset = 0
  return {
    id,
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers,
      ...(request.body !== undefined && { body: 'text' in request.body ? request.body.text : bytesOf(request.body) }),
    },
    sentAt: Date.parse(sentAt),
    ...(answer !== undefined && { head: { status: answer.status, headers: answer.headers, atMs: answer.headMs } }),
    arrivals: arrivals.map(([atMs, length]) => {
      offset += length
      return { atMs, bytes: bytes.subarray(offset - length, offset) }
    }),
    ending,
    endedAtMs,
    ...(problem !== undefined && { problem }),
  }
}

function bytesOf(body: RecordedBody | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0)
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64')
}

/** Answers from what was recorded: equal requests get their answers in the order in which they were sent. */
export function tapeWire(exchanges: readonly Exchange[]): Wire {
  const left = Map.groupBy(
    exchanges.toSorted((one, other) => one.sentAt - other.sentAt || one.id - other.id),
    ({ request }) => keyOf(request),
  )
  return {
    async send(request, { onBytes }) {
      const exchange = left.get(keyOf(request))?.shift()
      if (exchange === undefined) throw new OffTape(`${request.method} ${request.url} was not recorded`)
      for (const { bytes, atMs } of exchange.arrivals) onBytes?.(bytes, atMs)
      return exchange
    },
    async close() {},
  }
}

/** Keys are not on a tape: only the scheme of credentials counts. */
function keyOf({ method, url, headers, body }: SentRequest): string {
  return JSON.stringify([
    method,
    url,
    schemesOf(headers),
    body === undefined ? null : Buffer.from(body).toString('latin1'),
  ])
}

function schemesOf(headers: HeaderList): readonly string[] {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === 'authorization' ? [value.split(' ')[0] ?? ''] : []))
}
