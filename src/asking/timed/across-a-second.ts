import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckContext } from '../../check/context.ts'
import { sampleBodies } from '../../check/kept/samples.ts'
import { isSuccess, type StreamAnswer } from '../../target/answer.ts'
import { chatRequest } from '../../target/chat.ts'

/** One that crosses by what we see may have been written just before or after. */
const crossingsMin = 2
const turnsMax = 2
/** When streams of one turn are to reach their middle, in halves of their length before or after the beginning of a second. */
const places = [-0.8, 0, 0.8] as const

/** The longer a stream takes, the surer it is under way at a certain moment. */
const asked = { ...sampleBodies[0], max_tokens: 256, stream: true }
/** One that comes in a single piece took some time to be written all the same. */
const lengthMsMin = 2

/** What `streamsAcrossASecond` asks for at most. */
export const acrossASecondCost = { requests: turnsMax * places.length, tokens: 2080, quick: turnsMax * 2 } as const

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * All streams of the run, and where those of a fast server all lay within a second, a few more that are under way when a second
 * begins: what is taken from a clock for each chunk shows in no other stream.
 */
export async function* streamsAcrossASecond({
  few,
  model,
  samples,
  sendStream,
  target,
}: Pick<CheckContext, 'few' | 'model' | 'samples' | 'sendStream' | 'target'>): AsyncGenerator<StreamAnswer> {
  const seen = [...(await samples.streams())].map(({ answer }) => answer)
  yield* seen
  let crossings = seen.filter(beginsASecond).length
  for (let turn = 0; turn < turnsMax && crossings < crossingsMin; turn += 1) {
    const { fromMs, toMs } = usualSpan(seen)
    const lengthMs = Math.max(lengthMsMin, toMs - fromMs)
    const sendIn = untilASecondBegins(Date.now(), toMs + places.length * lengthMs) - (fromMs + toMs) / 2
    const streams = await Promise.all(
      few(places).map(async (place) => {
        await sleep(Math.max(0, sendIn + place * lengthMs))
        return sendStream(chatRequest(model, asked, { patienceMs: target.patience.silenceMsMax }))
      }),
    )
    const served = streams.filter(isSuccess)
    yield* served
    // Other checks ask why a plain stream is refused or not answered, and wait for it.
    if (served.length < streams.length) return
    crossings += streams.filter(beginsASecond).length
  }
}

/**
 * When the middle half of a stream's pieces came, in milliseconds since it was asked for: its last piece may have been held back by
 * TCP for 40 ms.
 */
function spanOf({ exchange: { arrivals } }: StreamAnswer): Span {
  const at = (share: number): number => arrivals[Math.floor((arrivals.length - 1) * share)]?.atMs ?? 0
  return { fromMs: at(0.25), toMs: at(0.75) }
}

function beginsASecond(stream: StreamAnswer): boolean {
  const { fromMs, toMs } = spanOf(stream)
  const second = (ms: number): number => Math.floor((stream.exchange.sentAt + ms) / 1000)
  return second(fromMs) < second(toMs)
}

/** The middle one of the run's streams by length. */
function usualSpan(streams: readonly StreamAnswer[]): Span {
  const spans = streams.map(spanOf).sort((one, other) => one.toMs - other.toMs)
  return spans[Math.floor(spans.length / 2)] ?? { fromMs: 0, toMs: 0 }
}

/** Milliseconds until the first beginning of a second that is at least so far away. */
function untilASecondBegins(nowMs: number, leastMs: number): number {
  return Math.ceil((nowMs + leastMs) / 1000) * 1000 - nowMs
}
