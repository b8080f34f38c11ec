import { setTimeout } from 'node:timers/promises'
import { changingNodeReplies } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/1-service/1-slow-readers.ts` must notice. */
export const slowReadersFaults = {
  'relay-reads-ahead': {
    about: 'A node is read to its end at full speed, however slowly the client reads.',
    breaks: ['relay.slow-reader-slows-the-node'],
    wrap: () =>
      changingNodeReplies(async function* (words) {
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
  'relay-waits-for-the-slowest-reader': {
    about: 'While one stream waits for a slow reader, no other request gets a token.',
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
