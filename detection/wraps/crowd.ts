import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { Job } from '../../reference-server/network/node.ts'
import { isStream } from './stream.ts'

/** How long a request waits for a crowd: as long as two hundred connections take to arrive on a busy machine. */
export const gatheringMs = 400

/** More requests at once than a quiet client sends. */
export const crowdSize = 24

/** Asks for so few tokens as only the checks of concurrency do. */
export const isShort = ({ tokensMax }: Job): boolean => tokensMax > 20 && tokensMax < 32

/** Holds short streams back for a moment, so that they meet, and goes wrong with those in a crowd of more than `most`. */
export function crowding(wrong: (isCrowded: (call: Call) => boolean) => Wrap, most = crowdSize): Wrap {
  const crowded = new WeakSet<Call>()
  const wrap = wrong((call) => crowded.has(call))
  let inFlight = 0
  return {
    ...wrap,
    generate: (real): Seams['generate'] => {
      const generate = wrap.generate?.(real) ?? real
      return async function* (node, job, signal, call) {
        if (!isStream(call) || !isShort(job)) return yield* real(node, job, signal, call)
        inFlight += 1
        try {
          await sleep(gatheringMs)
          if (inFlight <= most) return yield* real(node, job, signal, call)
          crowded.add(call)
          return yield* generate(node, job, signal, call)
        } finally {
          inFlight -= 1
        }
      }
    },
  }
}
