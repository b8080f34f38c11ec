import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../../reference-server/gateway/seams.ts'
import type { Variant } from './variant.ts'

/** Legal gateways that restart in an unusual way. */
export const restartVariants = {
  'restart-without-an-interruption': {
    about: 'A restart interrupts nothing: what is under way goes on, and new requests are served meanwhile.',
    wrap: () => ({ restart: () => () => sleep(100) }),
  },
  'restart-cuts-streams': {
    about:
      'A restart cuts the connections of streams under way; what breaks off visibly is not passed off as complete.',
    wrap: () => {
      const open = new Set<Call>()
      return {
        restart: (real) => async () => {
          for (const { response } of open) response.destroy()
          await real()
        },
        openStream: (real) => (head, call) => {
          open.add(call)
          call.response.once('close', () => open.delete(call))
          return real(head, call)
        },
      }
    },
  },
} as const satisfies Record<string, Variant>
