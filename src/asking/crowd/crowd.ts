import type { CheckContext } from '../../check/context.ts'
import { createFlight } from '../../load/meter/flight.ts'
import { StreamMeter } from '../../load/meter/stream-meter.ts'
import { hasErrorFrame, isSuccess, type StreamAnswer } from '../../target/answer.ts'
import { chatPath } from '../../target/chat.ts'

/** A question with a unique word, which tells its reply from others. */
export interface Prompt {
  readonly nonce: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

/** Many short streams at once, each with its own prompt. */
export interface Crowd {
  readonly prompts: readonly Prompt[]
  /** In the order of the prompts. */
  readonly streams: readonly StreamAnswer[]
}

export const crowdSize = 200
/** Long enough that each stream still runs when the last one starts. */
export const crowdTokensMax = 24

/** One crowd for all checks that look at it. A cut may be chance, so after one the crowd is sent once more. */
export function crowdOf(context: CheckContext): Promise<Crowd> {
  return context.once('a crowd', async () => {
    const crowd = await gather(context)
    return crowd.streams.some(isCut) ? gather(context) : crowd
  })
}

/** Sends one more crowd. */
export async function gather({ target, model, nonce }: CheckContext): Promise<Crowd> {
  const prompts = Array.from({ length: crowdSize }, (): Prompt => {
    const word = nonce()
    return { nonce: word, messages: [{ role: 'user', content: `Repeat exactly: ${word}` }] }
  })
  const streams = prompts.map(({ messages }) =>
    target.stream({
      method: 'POST',
      path: chatPath,
      body: JSON.stringify({ model, messages, max_tokens: crowdTokensMax, stream: true }),
      burst: true,
    }),
  )
  return { prompts, streams: await Promise.all(streams) }
}

export function isCut({ status, done, exchange }: StreamAnswer): boolean {
  return status === undefined || (status === 200 && !done && exchange.ending !== 'complete')
}

/** Streams that were not refused, by a status or by an error event. */
export function servedOf({ streams }: Crowd): readonly StreamAnswer[] {
  return streams.filter((stream) => isSuccess(stream) && !hasErrorFrame(stream))
}

/** What the meter of `assay load` finds wrong with the events of a stream; undefined when it is whole. */
export function wrongWith({ exchange }: StreamAnswer): string | undefined {
  const meter = new StreamMeter({ share: 1, draw: () => 0 })
  const flight = createFlight(0, 0)
  meter.begin(flight)
  for (const { bytes, atMs } of exchange.arrivals) meter.feed(Buffer.from(bytes), 0, bytes.length, atMs)
  meter.finish()
  if (flight.outcome !== undefined) return flight.reason
  return exchange.ending === 'reset' ? 'the connection was cut inside the reply' : undefined
}

/** Events a second, from the first request to the last byte. */
export function eventsPerS(streams: readonly StreamAnswer[]): number {
  const events = streams.reduce((sum, stream) => sum + stream.events.length, 0)
  const startMs = Math.min(...streams.map(({ exchange }) => exchange.sentAt))
  const endMs = Math.max(...streams.map(({ exchange }) => exchange.sentAt + exchange.endedAtMs))
  return endMs > startMs ? (events * 1000) / (endMs - startMs) : 0
}
