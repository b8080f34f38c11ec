import type { Call, StreamSink } from './seams.ts'

/** A comment, which clients skip; the blank line keeps it apart from the event that follows. */
const comment = ': keep-alive\n\n'

/**
 * While a stream waits for its first token, opens it and writes a comment again and again, so that no proxy takes the silence
 * for death. A node that has not taken the request gets none: if it fails, the answer can still be a 503. Returns how to end it.
 */
export function startHeartbeat(call: Call, everyMs: number, open: () => StreamSink): () => void {
  if (everyMs === 0) return () => {}
  const timer = setInterval(() => {
    if (call.isTaken === true && !call.left.aborted) void open().write(comment)
  }, everyMs)
  return () => clearInterval(timer)
}
