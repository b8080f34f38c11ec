import { setTimeout } from 'node:timers/promises'
import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { answeringNodeFailures, changingNodeReplies, choosingNodes, isRelayed } from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/7-errors/7-unreachable-nodes.ts` must notice. */
export const unreachableNodesFaults = {
  'relay-failed-node-stays-away': {
    about: 'A node that could not be reached once is not used for a minute.',
    breaks: ['relay.recovers'],
    wrap: () => {
      let goneAtMs = Number.NEGATIVE_INFINITY
      return {
        ...choosingNodes((real, call) => {
          const isLater = performance.now() - goneAtMs < 60_000
          return isLater && call.tried.size === 0 ? undefined : real()
        }),
        generate: (real) =>
          async function* (node, job, signal, call) {
            try {
              return yield* real(node, job, signal, call)
            } catch (error) {
              if (
                isRelayed(job) &&
                error instanceof Error &&
                'kind' in error &&
                error.kind === 'unreachable' &&
                /ECONNREFUSED/.test(String(Object(error.cause).code))
              )
                goneAtMs = performance.now()
              throw error
            }
          },
      }
    },
  },
  'relay-hang-is-an-empty-reply': {
    about: 'A node that says nothing for most of a second is taken to have finished.',
    breaks: ['relay.hang-ends', 'relay.black-hole-is-503'],
    // A first word that comes byte by byte, or among many requests, may take this long.
    follows: ['relay.any-form-of-stream', 'relay.leaving-harms-no-others', 'relay.slow-node-is-served'],
    wrap: () => endingAfterSilence((count) => count === 0),
  },
  'relay-silence-is-the-end': {
    about: 'A stream whose node falls silent ends as if it were complete.',
    breaks: ['relay.hang-in-mid-stream-shows'],
    follows: ['relay.any-form-of-stream', 'relay.slow-node-is-served'],
    wrap: () => endingAfterSilence((count) => count > 0),
  },
  'relay-black-hole-is-504': {
    about: 'A model whose nodes stay silent is answered with 504.',
    breaks: ['relay.black-hole-is-503'],
    wrap: () => {
      const silent = new WeakSet<object>()
      return {
        ...answeringNodeFailures((answer, call) => (silent.has(call) ? { ...answer, status: 504 } : answer)),
        generate: (real) =>
          async function* (node, job, signal, call) {
            try {
              return yield* real(node, job, signal, call)
            } catch (error) {
              if (isRelayed(job) && error instanceof Error && 'kind' in error && error.kind === 'silent')
                silent.add(call)
              throw error
            }
          },
      }
    },
  },
  'relay-no-node-is-500': {
    about: 'A model whose nodes cannot be reached is answered with 500.',
    breaks: ['relay.no-node-is-503'],
    wrap: () => answeringNodeFailures((answer) => ({ ...answer, status: 500 })),
  },
  'relay-no-node-is-502-in-streams': {
    about: 'A stream of a model whose nodes cannot be reached is answered with 502.',
    breaks: ['relay.no-node-is-503'],
    wrap: () => answeringNodeFailures((answer, call) => (isStream(call) ? { ...answer, status: 502 } : answer)),
  },
} as const satisfies Record<string, Fault>

/** Takes 700 ms of silence for the end of a reply, less than the time after which a node is given up. */
function endingAfterSilence(when: (count: number) => boolean): Wrap {
  return changingNodeReplies(async function* (words) {
    for (let count = 0; ; count += 1) {
      const next = words.next()
      next.catch(() => undefined)
      const step = await (when(count) ? Promise.race([next, setTimeout(700)]) : next)
      if (step === undefined) return 'stop'
      if (step.done) return step.value
      yield step.value
    }
  })
}
