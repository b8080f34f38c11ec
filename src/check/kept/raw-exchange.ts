import type { RawConversation, RawStep } from '../../wire/raw-client.ts'
import { parseRawMessages } from '../../wire/raw-message.ts'
import type { Exchange, HeaderList, SentRequest } from '../../wire/transcript.ts'

/** What was said on a socket of its own, where it was one plain request that any client could send, and an answer or its leaving. */
export function plainExchange(
  baseUrl: string,
  steps: readonly RawStep[],
  { arrivals, endedAtMs }: RawConversation,
  sentAt: number,
): Exchange | undefined {
  const leftAtMs = leftAfterMs(steps)
  const request = plainRequest(baseUrl, leftAtMs === undefined ? steps : steps.slice(0, -2))
  const [message] = parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))
  const last = arrivals.at(-1)
  if (request === undefined) return undefined
  if (message === undefined || last === undefined) {
    if (leftAtMs === undefined) return undefined
    const leaving: SentRequest = { ...request, leavesAfterMs: leftAtMs }
    return { id: nextId--, request: leaving, sentAt, arrivals: [], ending: 'left', endedAtMs: leftAtMs }
  }
  const { status, headers, body } = message
  return {
    // Those of a client count from 1: these need only differ from them and from each other.
    id: nextId--,
    request,
    sentAt,
    head: { status, headers, atMs: arrivals[0]?.atMs ?? last.atMs },
    arrivals: body.length === 0 ? [] : [{ bytes: body, atMs: last.atMs }],
    ending: 'complete',
    endedAtMs: endedAtMs ?? last.atMs,
  }
}

let nextId = -1

/** How long a client waited that then left. */
function leftAfterMs(steps: readonly RawStep[]): number | undefined {
  const [pause, leave] = steps.slice(-2)
  if (typeof leave !== 'object' || !('leave' in leave)) return undefined
  return typeof pause === 'object' && 'pauseMs' in pause ? pause.pauseMs : undefined
}

/** Undefined where a client could not be told to send the same bytes. */
function plainRequest(baseUrl: string, steps: readonly RawStep[]): SentRequest | undefined {
  const sent: Uint8Array[] = []
  for (const step of steps) {
    if (typeof step === 'string' || step instanceof Uint8Array) sent.push(Buffer.from(step))
    else return undefined
  }
  const bytes = Buffer.concat(sent)
  const headEnd = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.subarray(0, Math.max(headEnd, 0)).toString('latin1').split('\r\n')
  const [, method, path, minor] = /^([A-Z]+) (\/\S*) HTTP\/1\.([01])$/.exec(first) ?? []
  const headers = lines.map((line) => /^([\w-]+): (.+)$/.exec(line)?.slice(1) ?? [])
  if (method === undefined || path === undefined || headers.some(([name]) => name === undefined)) return undefined
  const listed = headers.map(([name = '', value = '']): HeaderList[number] => [name, value])
  const named = (name: string) => listed.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value)
  const body = bytes.subarray(headEnd + 4)
  const length = named('content-length')
  const isFramed = length.length === 0 ? body.length === 0 : length.length === 1 && length[0] === String(body.length)
  if (!isFramed || named('transfer-encoding').length > 0) return undefined
  return {
    method,
    url: new URL(path, baseUrl).href,
    headers: listed.filter(([name]) => name.toLowerCase() !== 'host'),
    ...(body.length > 0 && { body: body.toString('utf8') }),
    ...(minor === '0' && { version: '1.0' as const }),
  }
}
