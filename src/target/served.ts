import { mediaType } from '../wire/transcript.ts'
import { type Answer, hasErrorFrame, isErrorEvent, isSuccess } from './answer.ts'
import { readStream } from './stream-reader.ts'

/** What a request that must not be served has to get. */
export const unserved = 'no 2xx, or a stream that says nothing but that it failed'

/**
 * Whether a model has answered. A gateway that begins the stream before it looks at the request can refuse it only inside
 * the stream: then the status is that of a success, and the stream says nothing but that it failed.
 */
export function isServed(answer: Answer): boolean {
  return isSuccess(answer) && !failsInItsStream(answer)
}

/** Whether the stream reports a failure and has no text; what it passes on from a node may be no event. */
export function failsInItsStream(answer: Answer): boolean {
  const { exchange, json } = answer
  if (!isSuccess(answer)) return false
  const stream = readStream(exchange)
  const isBareError = stream.events.length === 0 && mediaType(exchange) === 'text/event-stream' && isErrorEvent(json)
  return stream.content === '' && (hasErrorFrame(stream) || isBareError)
}
