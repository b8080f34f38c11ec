import type { CheckContext } from '../../check/context.ts'
import { outages } from '../../check/outlast.ts'
import { untilRight } from '../../repeat/repeat.ts'
import { ruleFor, rules } from '../../repeat/rules.ts'
import { isRefusedForNow } from '../../target/answer.ts'
import { chatPath } from '../../target/chat.ts'
import type { RawStep } from '../../wire/raw-client.ts'
import { parseRawMessages, type RawMessage } from '../../wire/raw-message.ts'

interface Talk {
  readonly messages: readonly RawMessage[]
  /** When the first byte of an answer came, in milliseconds since the connection was made. */
  readonly firstByteMs: number
}

/** Sends bytes on one socket and returns the answers. Repeats after silence, a refusal or a failure, once a plain request works. */
export async function talk(
  { converse, ask, target }: CheckContext,
  steps: readonly RawStep[],
  answers = 1,
): Promise<Talk> {
  const isHeard = ({ messages }: Talk): boolean =>
    messages.length >= answers && !messages.some((message) => passing(message) || outages.has(message.status))
  const hear = async (turn: number): Promise<Talk> => {
    if (turn > 0) await ask()
    const { arrivals } = await converse(
      steps,
      (received) => parseRawMessages(received).filter(({ whole }) => whole).length >= answers,
    )
    const messages = parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))
    return { messages, firstByteMs: arrivals[0]?.atMs ?? Number.POSITIVE_INFINITY }
  }
  return untilRight(ruleFor(rules.lastRequest, target.spending.cuts > 0), hear, isHeard)
}

/** A whole raw request to the chat endpoint. */
export function rawChat(
  { rawHead }: CheckContext,
  body: string | Buffer,
  headers: readonly (readonly [string, string])[] = [],
): Buffer {
  const bytes = Buffer.from(body)
  const head = rawHead('POST', chatPath, [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(bytes.length)],
    ...headers,
  ])
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

/** A limit or a temporary outage says nothing about the wire. */
export function passing(message: RawMessage | undefined): boolean {
  return message !== undefined && isRefusedForNow(message)
}
