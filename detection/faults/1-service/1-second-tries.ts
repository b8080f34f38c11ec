import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { Job, OperatorNode } from '../../../reference-server/network/node.ts'
import { drain, workedOn } from '../../wraps/left.ts'
import { pricing } from '../../wraps/money.ts'
import { choosingNodes, isRelayed, type Words } from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/1-service/1-second-tries.ts` must notice. */
export const secondTriesFaults = {
  'second-try-loses-a-message': {
    about: 'When a second node is tried, it does not get the first message.',
    breaks: ['relay.second-try-asks-the-same'],
    wrap: () =>
      askingSecondNodes((job) => ({
        ...job,
        messages: job.messages.length > 1 ? job.messages.slice(1) : job.messages,
      })),
  },
  'second-try-loses-the-limits': {
    about: 'When a second node is tried, it gets no stop sequences and a different limit.',
    breaks: ['relay.second-try-asks-the-same'],
    wrap: () => askingSecondNodes((job) => ({ ...job, stop: [], tokensMax: 4096 })),
  },
  'second-try-goes-on': {
    about: "When a node breaks off, the second node's whole reply is appended to the words of the first.",
    breaks: ['relay.second-try-begins-anew'],
    wrap: () => {
      const spoken = new WeakMap<Call, string>()
      return {
        generate: (real) =>
          async function* (node, job, signal, call) {
            const before = spoken.get(call)
            if (before !== undefined) yield { text: before, tokens: 0 }
            if (!isRelayed(job) || isStream(call)) return yield* real(node, job, signal, call)
            const words = real(node, job, signal, call)
            const texts: { readonly text: string; readonly tokens: number }[] = []
            for (;;) {
              // Held back until the node is done, so that another one may be asked.
              try {
                const step = await words.next()
                if (step.done) {
                  yield* texts
                  return step.value
                }
                texts.push(step.value)
              } catch (error) {
                spoken.set(call, texts.map(({ text }) => text).join(''))
                throw error
              }
            }
          },
      }
    },
  },
  'second-try-counts-the-prompt-again': {
    about: 'The prompt is counted and charged once for each node that was asked.',
    breaks: ['relay.second-try-is-counted-once'],
    wrap: () => ({
      ...pricing((usage, call) => [
        usage.promptTokens * Math.max(1, call.tried.size) + usage.completionTokens,
        call.model?.price ?? 0,
      ]),
      completion: (real) => (parts, call) =>
        real({ ...parts, promptTokens: parts.promptTokens * Math.max(1, call.tried.size) }, call),
      usageChunk: (real) => (parts, call) =>
        real({ ...parts, promptTokens: parts.promptTokens * Math.max(1, call.tried.size) }, call),
    }),
  },
  'second-try-works-on-for-nobody': {
    about: 'A node that is asked as the second one keeps generating after the client has left.',
    breaks: ['relay.second-try-left-is-cancelled'],
    wrap: () => ({
      generate: (real) => (node, job, signal, call) => {
        if (!isRelayed(job) || call.tried.size < 2) return real(node, job, signal, call)
        return workedOn(real(node, job, new AbortController().signal, call), call)
      },
    }),
  },
  'second-try-of-a-reply-works-on': {
    about:
      'A node that is asked as the second one for a reply, not a stream, keeps generating after the client has left.',
    breaks: ['relay.second-try-left-is-cancelled'],
    wrap: () => ({
      generate: (real) => (node, job, signal, call) => {
        if (!isRelayed(job) || isStream(call) || call.tried.size < 2) return real(node, job, signal, call)
        return workedOn(real(node, job, new AbortController().signal, call), call)
      },
    }),
  },
  'left-request-goes-to-another-node': {
    about: 'A client that leaves before the first word counts as a failure of the node: another one is asked.',
    breaks: ['relay.left-request-is-not-tried-again'],
    wrap: () => {
      const chosen = new WeakMap<Call, () => OperatorNode | undefined>()
      return {
        ...choosingNodes((real, call) => {
          chosen.set(call, real)
          return real()
        }),
        generate: (real) => (node, job, signal, call) => {
          const another = (): void => {
            const next = chosen.get(call)?.()
            if (next !== undefined) void drain(real(next, job, new AbortController().signal, call))
          }
          return isRelayed(job)
            ? untilLeft(real(node, job, signal, call), call, another)
            : real(node, job, signal, call)
        },
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Words of a node, and what to do when the client leaves before the first of them. */
async function* untilLeft(words: Words, { left }: Call, onLeft: () => void): Words {
  left.addEventListener('abort', onLeft)
  for (;;) {
    const step = await words.next()
    left.removeEventListener('abort', onLeft)
    if (step.done) return step.value
    yield step.value
  }
}

/** Asks the second node for something else than the first. */
function askingSecondNodes(change: (job: Job) => Job): Wrap {
  const asked = new WeakSet<Call>()
  return {
    generate: (real) => (node, job, signal, call) => {
      const isSecond = asked.has(call)
      asked.add(call)
      return real(node, isSecond && isRelayed(job) ? change(job) : job, signal, call)
    },
  }
}
