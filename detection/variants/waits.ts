import { endingIdle } from '../wraps/idle.ts'
import { changingSink } from '../wraps/stream.ts'
import type { Variant } from './variant.ts'

/** Legal gateways that do something of their own while nothing happens. */
export const waitsVariants = {
  'idle-connections-end-in-order': {
    about: 'A connection without a request for 0.6 s gets a FIN, unannounced, and is read on for a moment.',
    group: 'idle',
    long: true,
    wrap: () =>
      endingIdle(600, (socket) => {
        socket.end()
        setTimeout(() => socket.destroy(), 2000).unref()
      }),
  },
  'idle-connections-reset-as-announced': {
    about: 'Connections are announced to live for a second and are reset after it; who goes by that never notices.',
    group: 'idle',
    long: true,
    wrap: () => endingIdle(1050, (socket) => socket.resetAndDestroy(), 'timeout=1'),
  },
  'sse-heartbeats-in-pauses': {
    about:
      'An event that comes more than a second after the one before has a comment above it; parsers ignore comments.',
    group: 'comments',
    wrap: () =>
      changingSink((sink) => {
        let writtenMs = performance.now()
        return {
          write(part) {
            const isLate = performance.now() - writtenMs >= 1000
            writtenMs = performance.now()
            return sink.write(isLate && typeof part === 'string' ? `: keep-alive\n\n${part}` : part)
          },
        }
      }),
  },
} as const satisfies Record<string, Variant>
