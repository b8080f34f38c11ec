import { type Answer, contentChunks, isSuccess, type StreamAnswer } from './answer.ts'
import { chatRequest } from './chat.ts'
import type { Target } from './target.ts'

const streamed = { max_tokens: 24, stream: true }
const brief = { max_tokens: 1 }
/** Whether one of two requests waited does not show where both are over so soon. */
const soonMs = 20

/**
 * Whether a target writes one reply at a time: a request that comes while it streams waits for the end of the stream, or
 * ends it. More requests at once make each of them slower then, and none of them earlier.
 */
export async function servesOneAtATime(target: Target, model: string): Promise<boolean> {
  let asked: Promise<Answer> | undefined
  const stream = await target.stream(chatRequest(model, streamed), {
    onFirstContent() {
      asked = target.send(chatRequest(model, brief, { burst: true }))
    },
  })
  const other = await asked
  if (other === undefined || !isSuccess(stream) || !isSuccess(other)) return false
  const { firstMs, lastMs } = written(stream)
  if (other.exchange.sentAt + other.exchange.endedAtMs < lastMs) return false
  if (lastMs - firstMs >= soonMs) return true
  const undisturbed = written(await target.stream(chatRequest(model, streamed)))
  return undisturbed.lastMs - undisturbed.firstMs >= soonMs
}

/** When the first and the last fragment of a stream came. */
function written(stream: StreamAnswer): { readonly firstMs: number; readonly lastMs: number } {
  const times = contentChunks(stream).map(({ atMs }) => stream.exchange.sentAt + atMs)
  return { firstMs: times.at(0) ?? 0, lastMs: times.at(-1) ?? 0 }
}
