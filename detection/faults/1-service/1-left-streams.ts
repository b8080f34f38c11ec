import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { isStream, slowStreams } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/1-service/1-left-streams.ts` must notice. */
export const leftStreamsFaults = {
  'left-streams-keep-their-place': {
    about: 'After clients have left four streams of a key, every further stream of that key waits forever.',
    breaks: ['service.streams-survive-the-run'],
    follows: ['model.down-and-up'],
    wrap: () => leakingPlaces(4),
  },
  'left-stream-ends-the-others': {
    about: 'Leaving one stream ends the other streams of its key.',
    breaks: ['stream.leaving-spares-the-others'],
    wrap: () => {
      const open = new Map<string, Set<Call>>()
      return {
        ...slowStreams,
        openStream: (real) => (head, call) => {
          const id = call.caller?.key.id ?? ''
          const others = open.get(id) ?? new Set<Call>()
          open.set(id, others.add(call))
          call.response.on('close', () => {
            others.delete(call)
            if (call.left.aborted) for (const other of others) other.response.destroy()
          })
          return real(head, call)
        },
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Never frees the place of a stream that its client left, until its key has no places left. */
function leakingPlaces(placesMax: number): Wrap {
  const leaked = new Map<string, number>()
  return {
    ...slowStreams,
    openStream: (real) => (head, call) => {
      const id = call.caller?.key.id ?? ''
      call.left.addEventListener('abort', () => leaked.set(id, (leaked.get(id) ?? 0) + 1))
      return real(head, call)
    },
    reserve: (real) => async (caller, tokens, call) => {
      if (isStream(call) && (leaked.get(caller.key.id) ?? 0) >= placesMax)
        await new Promise((resolve) => call.left.addEventListener('abort', resolve))
      return real(caller, tokens, call)
    },
  }
}
