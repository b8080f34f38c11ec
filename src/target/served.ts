import { type Answer, hasErrorFrame, isSuccess } from './answer.ts'
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

/** Whether the stream reports a failure and has no text. */
function failsInItsStream({ exchange }: Answer): boolean {
  const stream = readStream(exchange)
  return hasErrorFrame(stream) && stream.content === ''
}
