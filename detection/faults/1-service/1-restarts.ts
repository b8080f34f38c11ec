import { setTimeout as sleep } from 'node:timers/promises'
import type { Seams, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { Fault } from '../fault.ts'

const restartMs = 500

/** Gateways that the checks of `suites/1-service/1-restarts.ts` must notice. */
export const restartsFaults = {
  'restart-ends-streams-as-complete': {
    about: 'A restart ends the streams under way as if their text were complete.',
    breaks: ['restart.streams-end-or-show'],
    follows: ['relay.every-reply-unchanged'],
    wrap: () => {
      const state = { isRestarting: false }
      return {
        restart: whileRestarting(state, (real) => real()),
        generate: (real) =>
          async function* (...parts) {
            const fragments = real(...parts)
            for (;;) {
              const step = await fragments.next()
              if (step.done === true) return step.value
              yield step.value
              if (state.isRestarting) return 'stop'
            }
          },
      }
    },
  },
  'restart-drops-new-requests': {
    about: 'While it restarts, a gateway closes the connection of each new request without an answer.',
    breaks: ['restart.requests-are-answered'],
    wrap: () => {
      const state = { isRestarting: false }
      return {
        restart: whileRestarting(state, () => sleep(restartMs)),
        serve: (real) => async (call) => {
          if (state.isRestarting) call.response.destroy()
          else await real(call)
        },
      }
    },
  },
} as const satisfies Record<string, Fault>

function whileRestarting(
  state: { isRestarting: boolean },
  restart: (real: Seams['restart']) => Promise<unknown>,
): NonNullable<Wrap['restart']> {
  return (real) => async () => {
    state.isRestarting = true
    await restart(real)
    state.isRestarting = false
  }
}
