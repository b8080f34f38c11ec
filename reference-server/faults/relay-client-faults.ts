import { setTimeout } from 'node:timers/promises'
import type { Wrap } from '../gateway/seams.ts'
import type { Fault } from './fault.ts'
import { choosing, failing, hearing, isRelayed } from './relay-tools.ts'
import { isStream } from './tools.ts'

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

/** Takes 700 ms of silence for the end of a reply, shorter than the limit at which a node is given up. */
function endingAfterSilence(when: (count: number) => boolean): Wrap {
  return hearing(async function* (words) {
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

/** Faults in what becomes of clients that leave, of slow readers, and of nodes that fall silent. */
export const relayClientFaults = {
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
    about: 'A node that says nothing for most of a second is taken to have said all.',
    breaks: ['relay.hang-ends', 'relay.black-hole-is-503'],
    // A first word that comes byte by byte, or among others, may take as long.
    follows: ['relay.any-form-of-stream', 'relay.leaving-harms-no-others'],
    wrap: () => endingAfterSilence((count) => count === 0),
  },
  'relay-silence-is-the-end': {
    about: 'A stream whose node falls silent ends as if it were whole.',
    breaks: ['relay.hang-in-mid-stream-shows'],
    follows: ['relay.any-form-of-stream'],
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
  'relay-left-stream-shows-in-the-next': {
    about: 'The next stream of a key begins with what a stream that was left had not got out.',
    breaks: ['relay.leaving-harms-no-others'],
    wrap: () => {
      let leftover = ''
      return hearing(async function* (words, call) {
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
  'relay-waits-for-the-slowest-reader': {
    about: 'While a stream waits for its reader, no other request gets a token.',
    breaks: ['relay.slow-reader-harms-no-others'],
    wrap: () => {
      const waiting = new Set<object>()
      return {
        openStream: (real) => (head, call) => {
          const sink = real(head, call)
          return {
            ...sink,
            async write(text) {
              const timer = globalThis.setTimeout(() => waiting.add(call), 200)
              try {
                await sink.write(text)
              } finally {
                clearTimeout(timer)
                waiting.delete(call)
              }
            },
          }
        },
        generate: (real) =>
          async function* (node, job, signal, call) {
            while ([...waiting].some((other) => other !== call) && !signal.aborted) await setTimeout(20)
            return yield* real(node, job, signal, call)
          },
      }
    },
  },
} as const satisfies Record<string, Fault>
