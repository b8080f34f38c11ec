import { setTimeout } from 'node:timers/promises'
import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { OperatorNode } from '../../../reference-server/network/node.ts'
import { NodeFailure } from '../../../reference-server/network/node-failure.ts'
import { workedOn } from '../../wraps/left.ts'
import { changingNodeReplies, choosingNodes, isRelayed, tapping } from '../../wraps/relay.ts'
import { isStream, isWhole } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/1-service/1-nodes.ts` must notice. */
export const nodesFaults = {
  'relay-works-on-for-nobody': {
    about: 'A node keeps generating after the client has left a stream.',
    breaks: ['relay.stream-left-is-cancelled'],
    wrap: () => keepingNodesAtWork((stream) => stream),
  },
  'relay-works-on-for-nobody-in-json': {
    about: 'A node keeps generating after the client of a non-streamed reply has left.',
    breaks: ['relay.reply-left-is-cancelled'],
    wrap: () => keepingNodesAtWork((stream) => !stream),
  },
  'relay-leaving-ends-all': {
    about: 'When one client leaves, the streams of other clients end too.',
    breaks: ['relay.leaving-harms-no-others'],
    wrap: () => {
      const open = new Set<AbortController>()
      return {
        generate: (real) => (node, job, signal, call) => {
          if (!isRelayed(job)) return real(node, job, signal, call)
          const own = new AbortController()
          open.add(own)
          signal.addEventListener('abort', () => {
            own.abort()
            open.delete(own)
            if (call.left.aborted) for (const other of open) other.abort()
          })
          return real(node, job, own.signal, call)
        },
      }
    },
  },
  'relay-one-frozen-node-stops-all': {
    about: 'While more than eight requests wait for a node, no other request is started.',
    breaks: ['relay.frozen-node-harms-no-others'],
    wrap: () => {
      let waiting = 0
      return {
        generate: (real) =>
          async function* (node, job, signal, call) {
            if (!isRelayed(job)) {
              while (waiting > 8 && !signal.aborted) await setTimeout(5)
              return yield* real(node, job, signal, call)
            }
            waiting += 1
            try {
              return yield* real(node, job, signal, call)
            } finally {
              waiting -= 1
            }
          },
      }
    },
  },
  'relay-left-stream-shows-in-the-next': {
    about: 'A reply begins with the words that an abandoned stream had not sent yet.',
    breaks: ['relay.leaving-harms-no-others'],
    follows: ['relay.exchange-after-a-left-stream', 'relay.every-reply-unchanged'],
    wrap: () => {
      let leftover = ''
      return changingNodeReplies(async function* (words, call) {
        if (leftover !== '') yield { text: leftover, tokens: 0 }
        leftover = ''
        let latest = ''
        try {
          for (;;) {
            const step = await words.next()
            if (step.done) return step.value
            latest = step.value.text
            yield step.value
          }
        } finally {
          if (call.left.aborted && isStream(call)) leftover = latest
        }
      })
    },
  },
  'relay-tries-one-node': {
    about: 'When a node fails, no other node is tried.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => choosingNodes((real, { tried }) => (tried.size > 0 ? undefined : real())),
  },
  'relay-tries-one-node-for-streams': {
    about: 'When a node fails, no other node is tried for a stream.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => choosingNodes((real, call) => (call.tried.size > 0 && isStream(call) ? undefined : real())),
  },
  'relay-tries-one-node-after-a-refused-reply': {
    about: 'When a node refuses a reply with a status of its own, no other node is tried.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => givingUpAfter(({ kind }, call) => kind === 'status' && isWhole(call)),
  },
  'relay-tries-one-node-after-a-cut-stream': {
    about: 'When a node cuts the connection before a stream begins, no other node is tried.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => givingUpAfter(({ kind }, call) => kind === 'unreachable' && isStream(call)),
  },
  'relay-tries-one-node-after-a-busy-one': {
    about: 'When a node answers with 429, no other node is tried.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => givingUpAfterStatus(429),
  },
  'relay-tries-one-node-after-an-internal-error': {
    about: 'When a node answers with 500, no other node is tried.',
    breaks: ['relay.another-node-is-tried'],
    follows: ['relay.second-try-asks-the-same'],
    wrap: () => givingUpAfterStatus(500),
  },
  'relay-tries-one-node-after-a-page': {
    about: 'When a node answers with an HTML page and 502, no other node is tried.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => givingUpAfterStatus(502),
  },
  'relay-tries-one-node-after-a-closed-connection': {
    about: 'When a node closes the connection without an answer, no other node is tried.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => givingUpAfter((failure) => /other side closed/.test(String(Object(failure.cause).message))),
  },
  'relay-failure-takes-others-along': {
    about: 'When a node breaks off one stream, all streams from the nodes break off.',
    breaks: ['relay.failing-harms-no-others'],
    wrap: () => breakingAllAtOnce(),
  },
  'relay-works-on-for-nobody-once-a-reply-begins': {
    about: 'A node whose reply has begun keeps writing it after the client has left.',
    breaks: ['relay.reply-left-is-cancelled'],
    wrap: () => {
      const begun = new WeakSet<Call>()
      return {
        readReply: (real) => (reply, call) => {
          begun.add(call)
          return real(reply, call)
        },
        generate: (real) => (node, job, signal, call) => {
          if (!isRelayed(job) || isStream(call)) return real(node, job, signal, call)
          const own = new AbortController()
          signal.addEventListener('abort', () => {
            if (!begun.has(call)) own.abort()
          })
          return workedOn(real(node, job, own.signal, call), call)
        },
      }
    },
  },
  'relay-tries-again-and-again': {
    about: 'A node that fails is asked ten times before another one is tried.',
    breaks: ['relay.each-node-is-tried-once'],
    wrap: () => {
      const tries = new WeakMap<object, { readonly node: OperatorNode | undefined; count: number }>()
      return choosingNodes((real, call) => {
        const own = tries.get(call) ?? { node: real(), count: 0 }
        tries.set(call, own)
        own.count += 1
        return own.count <= 10 ? own.node : real()
      })
    },
  },
} as const satisfies Record<string, Fault>

/** Lets nodes keep generating when the client has left. */
function keepingNodesAtWork(when: (stream: boolean) => boolean): Wrap {
  return {
    generate: (real) => (node, job, signal, call) => {
      if (!isRelayed(job) || !when(isStream(call))) return real(node, job, signal, call)
      return workedOn(real(node, job, new AbortController().signal, call), call)
    },
  }
}

/** Asks no other node once one has answered with this status. */
function givingUpAfterStatus(status: number): Wrap {
  const refused = new WeakSet<Call>()
  return {
    ...choosingNodes((real, call) => (refused.has(call) ? undefined : real())),
    ...tapping((reply, call) => {
      if (reply.status === status) refused.add(call)
      return reply
    }),
  }
}

/** Breaks off whatever the nodes are at when one of them breaks off. */
function breakingAllAtOnce(): Wrap {
  const running = new Set<AbortController>()
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        if (!isRelayed(job)) return yield* real(node, job, signal, call)
        const own = new AbortController()
        running.add(own)
        let hasBegun = false
        try {
          const words = real(node, job, AbortSignal.any([signal, own.signal]), call)
          let step = await words.next()
          for (; !step.done; step = await words.next()) {
            if (own.signal.aborted) throw new NodeFailure('broken', 'another stream broke off')
            hasBegun = true
            yield step.value
          }
          return step.value
        } catch (error) {
          if (hasBegun && !call.left.aborted) for (const other of running) other.abort()
          throw error
        } finally {
          running.delete(own)
        }
      },
  }
}

/** Asks no other node once one has failed in this way. */
function givingUpAfter(isMeant: (failure: NodeFailure, call: Call) => boolean): Wrap {
  const failed = new WeakSet<Call>()
  return {
    ...choosingNodes((real, call) => (failed.has(call) ? undefined : real())),
    generate: (real) =>
      async function* (node, job, signal, call) {
        try {
          return yield* real(node, job, signal, call)
        } catch (error) {
          if (error instanceof NodeFailure && isMeant(error, call)) failed.add(call)
          throw error
        }
      },
  }
}
