import { setTimeout } from 'node:timers/promises'
import type { Wrap } from '../gateway/seams.ts'
import type { OperatorNode } from '../network/node.ts'
import type { Fault } from './fault.ts'
import { choosing, failing, hearing, isRelayed, isRelayedCall, tapping, type Words } from './relay-tools.ts'
import { isStream } from './tools.ts'

/** Takes the failure of a node for the end of its reply. */
function swallowing(when: (words: number, stream: boolean) => boolean): Wrap {
  return hearing(async function* (words, call) {
    let count = 0
    for (;;) {
      try {
        const step = await words.next()
        if (step.done) return step.value
        count += 1
        yield step.value
      } catch (error) {
        if (call.left.aborted || !when(count, isStream(call))) throw error
        return 'stop'
      }
    }
  })
}

/** Lets the node work on when its client has left. */
function workingOn(when: (stream: boolean) => boolean): Wrap {
  return {
    generate: (real) => (node, job, signal, call) => {
      if (!isRelayed(job) || !when(isStream(call))) return real(node, job, signal, call)
      const words = real(node, job, new AbortController().signal, call)
      call.left.addEventListener('abort', () => void drain(words))
      return {
        next: () => words.next(),
        return: async (value) => ({ done: true, value: await value }),
        throw: (error) => words.throw(error),
        [Symbol.asyncIterator]: () => words,
        [Symbol.asyncDispose]: async () => {},
      }
    },
  }
}

async function drain(words: AsyncGenerator): Promise<void> {
  try {
    while ((await words.next()).done !== true);
  } catch {
    // The node may fail now: nobody waits for it.
  }
}

/** Takes half a second of silence for the end of a reply, shorter than the limit at which a node is given up. */
function endingAfterSilence(when: (count: number) => boolean): Wrap {
  return hearing(async function* (words) {
    for (let count = 0; ; count += 1) {
      const next = words.next()
      next.catch(() => undefined)
      const step = await (when(count) ? Promise.race([next, setTimeout(500)]) : next)
      if (step === undefined) return 'stop'
      if (step.done) return step.value
      yield step.value
    }
  })
}

const address = { error: { message: 'connect ECONNREFUSED 10.9.8.7:9101' } }

/** Faults in what becomes of a node's failures, of clients that leave, and of other nodes. */
export const relayFailureFaults = {
  'relay-early-failure-is-empty': {
    about: 'A node that fails before its first word makes an empty reply under 200.',
    breaks: ['relay.early-failure-is-no-reply', 'relay.another-node-is-tried', 'relay.recovers'],
    wrap: () => swallowing((words) => words === 0),
  },
  'relay-early-failure-is-empty-in-streams': {
    about: 'A node that fails before its first word makes an empty stream that ends well.',
    breaks: ['relay.early-failure-is-no-reply', 'relay.another-node-is-tried'],
    wrap: () => swallowing((words, stream) => words === 0 && stream),
  },
  'relay-html-is-a-reply': {
    about: 'A page of HTML from a node is taken for its text.',
    breaks: ['relay.early-failure-is-no-reply', 'relay.failure-hides-the-node'],
    wrap: () =>
      tapping((reply) =>
        reply.contentType.includes('html')
          ? { ...reply, contentType: 'text/event-stream', body: asReply(reply.body) }
          : reply,
      ),
  },
  'relay-broken-stream-looks-whole': {
    about: 'A stream whose node died ends as if it were whole.',
    breaks: ['relay.broken-stream-shows'],
    wrap: () => swallowing((words, stream) => words > 0 && stream),
  },
  'relay-broken-reply-looks-whole': {
    about: 'A reply whose node died is sent as far as it came.',
    breaks: ['relay.broken-reply-is-no-reply'],
    wrap: () => swallowing((words, stream) => words > 0 && !stream),
  },
  'relay-broken-stream-ends-cleanly': {
    about: 'A stream whose node died simply ends, without an error event and without [DONE].',
    breaks: ['relay.broken-stream-shows'],
    wrap: () => ({
      frame: (real) => (data, call) => (isRelayedCall(call) && data.startsWith('{"error"') ? '' : real(data, call)),
    }),
  },
  'relay-error-event-of-the-node-swallowed': {
    about: 'An error event of a node is taken for the end of its stream.',
    breaks: ['relay.broken-stream-shows', 'relay.broken-reply-is-no-reply', 'relay.early-failure-is-no-reply'],
    wrap: () => tapping((reply) => ({ ...reply, body: withoutErrors(reply.body) })),
  },
  'relay-broken-stream-begun-again': {
    about: 'A stream whose node died begins again, behind what was sent.',
    breaks: ['relay.broken-stream-is-not-begun-again'],
    wrap: () => ({
      generate: (real) => (node, job, signal, call) =>
        isRelayed(job) ? again(() => real(node, job, signal, call), signal) : real(node, job, signal, call),
    }),
  },
  'relay-blames-the-client': {
    about: "The node's 401 and 404 are passed on as the client's fault.",
    breaks: ['relay.early-failure-blames-no-client'],
    wrap: () => {
      const statuses = new WeakMap<object, number>()
      return {
        ...tapping((reply, call) => {
          statuses.set(call, reply.status)
          return reply
        }),
        ...failing((answer, call) => {
          const status = statuses.get(call) ?? 503
          return status === 401 || status === 404 ? { ...answer, status } : answer
        }),
      }
    },
  },
  'relay-names-the-address': {
    about: 'The answer to a failure names the address of the node.',
    breaks: ['relay.failure-hides-the-node'],
    wrap: () => failing((answer) => ({ ...answer, body: address })),
  },
  'relay-shows-a-stack': {
    about: 'The answer to a failure shows where in the code it happened.',
    breaks: ['relay.failure-hides-the-node'],
    wrap: () =>
      failing((answer) => ({
        ...answer,
        body: { error: { message: 'Error: gone\n    at relay (/srv/gateway/relay.js:41:7)' } },
      })),
  },
  'relay-no-node-is-500': {
    about: 'A model whose nodes can not be reached is answered with 500.',
    breaks: ['relay.no-node-is-503'],
    wrap: () => failing((answer) => ({ ...answer, status: 500 })),
  },
  'relay-no-node-is-502-in-streams': {
    about: 'A stream of a model whose nodes can not be reached is answered with 502.',
    breaks: ['relay.no-node-is-503'],
    wrap: () => failing((answer, call) => (isStream(call) ? { ...answer, status: 502 } : answer)),
  },
  'relay-no-end-marker-of-its-own': {
    about: 'A stream whose node sent no [DONE] ends without one, though it is whole.',
    breaks: ['relay.missing-end-marker'],
    wrap: () => {
      const done = new WeakSet<object>()
      return {
        ...tapping((reply, call) => ({ ...reply, body: noting(reply.body, '[DONE]', () => done.add(call)) })),
        doneFrame: (real) => (call) => (isRelayedCall(call) && !done.has(call) ? '' : real(call)),
      }
    },
  },
  'relay-tries-one-node': {
    about: 'When a node fails, no other one is asked.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => choosing((real, { tried }) => (tried.size > 0 ? undefined : real())),
  },
  'relay-tries-one-node-for-streams': {
    about: 'When a node fails, no other one is asked for a stream.',
    breaks: ['relay.another-node-is-tried'],
    wrap: () => choosing((real, call) => (call.tried.size > 0 && isStream(call) ? undefined : real())),
  },
  'relay-tries-again-and-again': {
    about: 'A node that fails is asked ten times before another one is.',
    breaks: ['relay.each-node-is-tried-once'],
    wrap: () => {
      const tries = new WeakMap<object, { readonly node: OperatorNode | undefined; count: number }>()
      return choosing((real, call) => {
        const own = tries.get(call) ?? { node: real(), count: 0 }
        tries.set(call, own)
        own.count += 1
        return own.count <= 10 ? own.node : real()
      })
    },
  },
  'relay-works-on-for-nobody': {
    about: 'A node works on when the client has left a stream.',
    breaks: ['relay.stream-left-is-cancelled'],
    wrap: () => workingOn((stream) => stream),
  },
  'relay-works-on-for-nobody-in-json': {
    about: 'A node works on when the client of a whole reply has left.',
    breaks: ['relay.reply-left-is-cancelled'],
    wrap: () => workingOn((stream) => !stream),
  },
  'relay-leaving-ends-all': {
    about: 'When one client leaves, the streams of other clients end with it.',
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
  'relay-reads-ahead': {
    about: 'A node is read to its end, however slowly its client reads.',
    breaks: ['relay.slow-reader-slows-the-node'],
    wrap: () =>
      hearing(async function* (words) {
        const read: Awaited<ReturnType<typeof words.next>>[] = []
        let wake = (): void => {}
        let problem: unknown
        const pump = async (): Promise<void> => {
          for (;;) {
            const step = await words.next()
            read.push(step)
            wake()
            if (step.done) return
          }
        }
        pump().catch((error: unknown) => {
          problem = error
          wake()
        })
        for (;;) {
          const step = read.shift()
          if (step !== undefined) {
            if (step.done) return step.value
            yield step.value
          } else if (problem !== undefined) throw problem
          else
            await new Promise<void>((awake) => {
              wake = awake
            })
        }
      }),
  },
  'relay-failed-node-stays-away': {
    about: 'A node that could not be reached once is left alone for a minute.',
    breaks: ['relay.recovers'],
    wrap: () => {
      let goneAtMs = Number.NEGATIVE_INFINITY
      return {
        ...choosing((real, call) => {
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
  'relay-one-frozen-node-stops-all': {
    about: 'While more than eight requests wait for a node, no other request is begun.',
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
  'relay-hang-is-an-empty-reply': {
    about: 'A node that says nothing for half a second is taken to have said all.',
    breaks: ['relay.hang-ends', 'relay.black-hole-is-503'],
    wrap: () => endingAfterSilence((count) => count === 0),
  },
  'relay-silence-is-the-end': {
    about: 'A stream whose node falls silent ends as if it were whole.',
    breaks: ['relay.hang-in-mid-stream-shows'],
    wrap: () => endingAfterSilence((count) => count > 0),
  },
  'relay-black-hole-is-504': {
    about: 'A model whose nodes say nothing is answered with 504.',
    breaks: ['relay.black-hole-is-503'],
    wrap: () => {
      const silent = new WeakSet<object>()
      return {
        ...failing((answer, call) => (silent.has(call) ? { ...answer, status: 504 } : answer)),
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
} as const satisfies Record<string, Fault>

/** Begins a reply anew when it breaks off behind its first words. */
async function* again(begin: () => Words, signal: AbortSignal): Words {
  let count = 0
  try {
    const words = begin()
    for (;;) {
      const step = await words.next()
      if (step.done) return step.value
      count += 1
      yield step.value
    }
  } catch (error) {
    if (count === 0 || signal.aborted) throw error
    return yield* begin()
  }
}

async function* asReply(body: AsyncIterable<Uint8Array>) {
  let text = ''
  for await (const bytes of body) text += new TextDecoder().decode(bytes)
  const chunk = { choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] }
  yield new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
}

/** A body without its error events, and with a proper end in their place. */
async function* withoutErrors(body: AsyncIterable<Uint8Array>) {
  for await (const bytes of body) {
    const text = new TextDecoder().decode(bytes)
    yield /^data: ?\{"error"/m.test(text) ? new TextEncoder().encode('data: [DONE]\n\n') : bytes
  }
}

async function* noting(body: AsyncIterable<Uint8Array>, word: string, note: () => void) {
  for await (const bytes of body) {
    if (new TextDecoder().decode(bytes).includes(word)) note()
    yield bytes
  }
}
