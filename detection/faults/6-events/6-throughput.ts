import { setTimeout as sleep } from 'node:timers/promises'
import type { Seams } from '../../../reference-server/gateway/seams.ts'
import type { Job } from '../../../reference-server/network/node.ts'
import { randomId } from '../../../reference-server/random-id.ts'
import { crowding, crowdSize, gatheringMs } from '../../wraps/crowd.ts'
import { asJson } from '../../wraps/json.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/6-events/6-throughput.ts` must notice. */
export const throughputFaults = {
  'ids-change-under-load': {
    about: 'The id changes within a stream when more than two dozen streams run at once.',
    breaks: ['throughput.whole-under-load'],
    wrap: () =>
      crowding((isCrowded) => ({
        chunk: (real) => (parts, call) => {
          const chunk = asJson(real(parts, call))
          return isCrowded(call) ? { ...chunk, id: randomId('chatcmpl-') } : chunk
        },
      })),
  },
  'slower-than-promised': {
    about: 'More than a dozen long streams at once share one token every ten milliseconds.',
    breaks: ['throughput.as-promised'],
    wrap: () => {
      let inFlight = 0
      let freeAtMs = 0
      return {
        generate: (real): Seams['generate'] =>
          async function* (node, job, signal, call) {
            if (!isStream(call) || !isLong(job)) return yield* real(node, job, signal, call)
            inFlight += 1
            try {
              await sleep(gatheringMs)
              const reply = real(node, job, signal, call)
              for (;;) {
                const nowMs = performance.now()
                freeAtMs = Math.max(freeAtMs, nowMs) + 10
                if (inFlight > crowdSize / 2) await sleep(freeAtMs - nowMs)
                else freeAtMs = nowMs
                const step = await reply.next()
                if (step.done) return step.value
                yield step.value
              }
            } finally {
              inFlight -= 1
            }
          },
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Asks for as many tokens as only the check of throughput does. */
function isLong({ tokensMax }: Job): boolean {
  return tokensMax > 64 && tokensMax < 90
}
