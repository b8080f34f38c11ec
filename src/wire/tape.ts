import type { RecordedBody, RecordedExchange } from './recorded-exchange.ts'
import type { Exchange, HeaderList, SentRequest } from './transcript.ts'
import type { Wire } from './wire.ts'

/** What `recordExchange` wrote, as an exchange again; undefined when it cut the body short. */
export function readRecorded(recorded: RecordedExchange, id: number): Exchange | undefined {
  const { request, answer, arrivals, ending, endedAtMs, problem, sentAt } = recorded
  const bytes = bytesOf(answer?.body)
  const size = arrivals.reduce((sum, [, length]) => sum + length, 0)
  if (answer?.omitted !== undefined || (answer !== undefined && bytes.length !== size)) return undefined
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

/**
 * Answers from what was recorded: equal requests get their answers in the order in which they were sent. What was not recorded
 * gets what `offTape` gives.
 */
export function tapeWire(exchanges: readonly Exchange[], offTape: () => Promise<Exchange>): Wire {
  const left = Map.groupBy(
    exchanges.toSorted((one, other) => one.sentAt - other.sentAt || one.id - other.id),
    ({ request }) => keyOf(request),
  )
  return {
    async send(request, { onBytes }) {
      const answers = left.get(keyOf(request)) ?? []
      const recorded = isPoll(request) && answers.length === 1 ? answers[0] : answers.shift()
      const exchange = recorded ?? (isOrderToNode(request) ? carriedOut(request) : undefined)
      if (exchange === undefined) return offTape()
      for (const { bytes, atMs } of exchange.arrivals) onBytes?.(bytes, atMs)
      return exchange
    },
    async close() {},
  }
}

/** What is looked at until it changes: who looks more often than the run did sees its last state again. */
function isPoll({ method, url }: SentRequest): boolean {
  return method === 'GET' && url.includes('/control/v1/')
}

/** What another check told the node, or what is too long for a record: its effect is in the answers. */
function isOrderToNode({ method, url }: SentRequest): boolean {
  return method === 'PUT' && url.includes('/control/v1/')
}

function carriedOut(request: SentRequest): Exchange {
  const head = { status: 204, headers: [], atMs: 0 }
  return { id: 0, request, sentAt: 0, head, arrivals: [], ending: 'complete', endedAtMs: 0 }
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
