import type { Call } from '../../../reference-server/gateway/seams.ts'
import { oneAtATime } from '../../wraps/engine.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/1-service/1-interrupted-streams.ts` must notice. */
export const interruptedStreamsFaults = {
  'stream-ends-when-another-request-comes': {
    about: 'An engine ends a running stream with [DONE] and no finish reason when another request comes.',
    breaks: ['concurrency.streams-not-interrupted'],
    follows: ['chunk.finish-reason-once'],
    wrap: () => {
      const dropped = new WeakSet<Call>()
      return {
        ...oneAtATime({ tokenMs: 4, onDrop: (call) => dropped.add(call) }),
        chunk: (real) => (parts, call) => {
          const { finishReason, ...rest } = parts
          return real(dropped.has(call) ? rest : parts, call)
        },
      }
    },
  },
  'stream-stops-when-another-request-comes': {
    about: 'An engine ends a running stream as if it were whole when another request comes.',
    breaks: ['concurrency.streams-not-interrupted'],
    wrap: () => oneAtATime({ tokenMs: 4, onDrop: () => {} }),
  },
} as const satisfies Record<string, Fault>
