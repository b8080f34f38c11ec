import { changingSink } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Longer than other checks have nodes pause. */
const silenceMs = 2400
const heartbeat = ': keep-alive\n\n'
/** Inside the data line. */
const insideAt = 10

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-pauses.ts` must notice. */
export const relayedPausesFaults = {
  'relay-heartbeat-inside-events': {
    about: 'After 2.4 s of silence a comment is written where the stream is, in the middle of an event too.',
    breaks: ['relay.pause-inside-an-event'],
    // The audit sees the same stream; on a busy machine the nodes of the others pause as long.
    follows: ['relay.slow-node-is-served', 'relay.any-form-of-stream', 'relay.every-reply-unchanged'],
    wrap: () =>
      changingSink((sink) => {
        let writtenMs = performance.now()
        return {
          write(part) {
            const isLate = performance.now() - writtenMs >= silenceMs
            writtenMs = performance.now()
            if (!isLate || typeof part !== 'string' || !part.startsWith('data:')) return sink.write(part)
            return sink.write(part.slice(0, insideAt) + heartbeat + part.slice(insideAt))
          },
        }
      }),
  },
} as const satisfies Record<string, Fault>
