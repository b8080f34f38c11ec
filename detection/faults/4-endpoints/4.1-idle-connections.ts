import { endingIdle } from '../../wraps/idle.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-idle-connections.ts` must notice. */
export const idleConnectionsFaults = {
  'idle-connections-are-reset': {
    about:
      'A connection without a request for 0.6 s is closed on both sides at once, unannounced: what comes then is reset.',
    breaks: ['http.idle-connections-end-in-order'],
    wrap: () => endingIdle(600, (socket) => socket.destroy()),
  },
  'idle-connections-end-early': {
    about: 'Connections are announced to live for a minute without a request and are reset after 0.6 s.',
    breaks: ['http.idle-connections-end-in-order'],
    wrap: () => endingIdle(600, (socket) => socket.resetAndDestroy(), 'timeout=60'),
  },
} as const satisfies Record<string, Fault>
