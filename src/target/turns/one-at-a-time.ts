import { type Answer, contentChunks, endOf, isSuccess, type StreamAnswer } from '../answer.ts'
import { chatRequest } from '../chat.ts'
import type { Target } from '../target.ts'
import { Unsettled } from '../unsettled.ts'

/** Tokens of the stream; more of them where a target is too quick for anything to show. */
const limits = [24, 256] as const
/** Within so few milliseconds another request comes too late. */
const soonMs = 20
/** A plain request that takes longer leaves no time for a second look. */
const slowMs = 2000
/** Times of sending are whole milliseconds, so that times of two exchanges are known to each other only so well. */
const clockStepMs = 1

/**
 * Whether a target writes one reply at a time: a request that comes while it streams waits for the end of the stream, or
 * ends it. More requests at once make each of them slower then, and none of them earlier.
 */
export async function servesOneAtATime(target: Target, model: string, plainMs: number): Promise<boolean> {
  // A second look would take a slow target as long as several checks; one at a time, it would have been seen to wait.
  const looks = plainMs > slowMs ? limits.slice(0, 1) : limits
  try {
    for (const limit of looks) {
      const isSeen = await waitsOrEnds(target, model, limit, limit === looks.at(-1))
      if (isSeen !== undefined) return isSeen
    }
  } catch (error) {
    // That the run is over or has stopped is for the checks to say.
    if (!(error instanceof Unsettled)) throw error
  }
  return false
}

/** Whether the stream was over before another request could come. */
export function isSoonOver(stream: StreamAnswer): boolean {
  const times = contentChunks(stream).map(({ atMs }) => atMs)
  return (times.at(-1) ?? 0) - (times.at(0) ?? 0) < soonMs
}

/** Undefined where nothing was served that shows it, or a stream of so many tokens is over too soon, and a longer one may follow. */
async function waitsOrEnds(
  target: Target,
  model: string,
  limit: number,
  isLongest: boolean,
): Promise<boolean | undefined> {
  const streamed = { max_tokens: limit, stream: true }
  let asked: Promise<Answer> | undefined
  const stream = await target.stream(chatRequest(model, streamed), {
    // One that ignores its limit shows by then what it does.
    leaveAfterContent: limit,
    onFirstContent() {
      asked = target.send(chatRequest(model, { max_tokens: 1 }, { burst: true }))
    },
  })
  const other = await asked
  if (other === undefined || !isSuccess(stream) || !isSuccess(other)) return undefined
  const lastMs = stream.exchange.sentAt + (contentChunks(stream).at(-1)?.atMs ?? 0)
  if (other.exchange.sentAt + other.exchange.endedAtMs + clockStepMs < lastMs) return false
  if (!isSoonOver(stream)) {
    // Where every answer takes longer than the rest of the stream did, it comes after the end without having waited.
    const alone = await target.send(chatRequest(model, { max_tokens: 1 }))
    if (!isSuccess(alone)) return undefined
    const aloneMs = alone.exchange.endedAtMs
    const restMs = lastMs - other.exchange.sentAt
    if (restMs < aloneMs / 2 && !isLongest) return undefined
    return other.exchange.endedAtMs - aloneMs >= restMs / 2
  }
  // All that was asked for came, at once.
  if (contentChunks(stream).length >= limit) return undefined
  const undisturbed = await target.stream(chatRequest(model, streamed))
  return !isSoonOver(undisturbed) || endOf(undisturbed) !== endOf(stream) ? true : undefined
}
