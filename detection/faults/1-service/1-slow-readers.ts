import { setTimeout } from 'node:timers/promises'
import { readingAhead } from '../../wraps/relay.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/1-service/1-slow-readers.ts` must notice. */
export const slowReadersFaults = {
  'relay-reads-ahead': {
    about: 'A node is read to its end at full speed, however slowly the client reads.',
    breaks: ['relay.slow-reader-slows-the-node'],
    wrap: () => readingAhead(Number.POSITIVE_INFINITY),
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
