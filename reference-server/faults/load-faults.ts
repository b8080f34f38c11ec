import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Seams, Wrap } from '../gateway/seams.ts'
import type { Job, Message } from '../network/node.ts'
import { randomId } from '../random-id.ts'
import type { Fault } from './fault.ts'
import { asJson, isStream, refusal, streamed } from './tools.ts'

/** How long requests that could be crossed wait for each other. */
const meetingMs = 20
/** How long those of a crowd do: as long as two hundred connections take on a busy machine. */
const gatheringMs = 400
/** More requests at once than a quiet client sends. */
const crowd = 24

/** Gives requests that are generated at the same time the reply of the last of them. */
function crossing(when: (job: Job, call: Call) => boolean): Wrap {
  let latest: readonly Message[] = []
  return {
    generate: (real): Seams['generate'] =>
      async function* (node, job, signal, call) {
        if (!when(job, call)) return yield* real(node, job, signal, call)
        latest = job.messages
        await sleep(meetingMs)
        return yield* real(node, { ...job, messages: latest }, signal, call)
      },
  }
}

const isShort = ({ tokensMax }: Job): boolean => tokensMax > 20 && tokensMax < 32
const isLong = ({ tokensMax }: Job): boolean => tokensMax > 64 && tokensMax < 90

/** Holds short streams back for a moment, so that they meet, and goes wrong with those that are in a crowd. */
function crowding(wrong: (isCrowded: (call: Call) => boolean) => Wrap, most = crowd): Wrap {
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

/** Faults that show when requests run at the same time. */
export const loadFaults = {
  'replies-crossed': {
    about: 'Short replies that are generated at the same time all get the text of the last of them.',
    breaks: ['concurrency.replies-not-crossed'],
    wrap: () => crossing((job, call) => isShort(job) && !isStream(call)),
  },
  'streams-crossed': {
    about: 'Short streams that are generated at the same time all get the text of the last of them.',
    breaks: ['concurrency.streams-not-crossed'],
    wrap: () => crossing((job, call) => isShort(job) && isStream(call)),
  },
  'usage-crossed': {
    about: 'Short replies that are generated at the same time all count the prompt of the last of them.',
    breaks: ['concurrency.replies-not-crossed'],
    wrap: () => {
      let latest = 0
      return {
        job: (real) => (request, model, promptTokens, call) => {
          const job = real(request, model, promptTokens, call)
          if (isShort(job)) latest = promptTokens
          return job
        },
        generate: (real): Seams['generate'] =>
          async function* (node, job, signal, call) {
            if (isShort(job)) await sleep(meetingMs)
            return yield* real(node, job, signal, call)
          },
        completion: (real) => (parts, call) => {
          const tokensMax = call.body?.tokensMax ?? 0
          return real(tokensMax > 20 && tokensMax < 32 ? { ...parts, promptTokens: latest } : parts, call)
        },
      }
    },
  },
  'streams-crossed-under-load': {
    about: 'Streams are crossed when more than two dozen run at once.',
    breaks: ['concurrency.streams-under-load'],
    wrap: () => crowding(() => crossing(() => true)),
  },
  'streams-lose-words-under-load': {
    about: 'Fragments vanish from streams when more than two dozen run at once.',
    breaks: ['concurrency.streams-under-load'],
    wrap: () => crowding(() => streamed((text, index) => (index % 3 === 2 ? [] : [text]))),
  },
  'streams-lose-words-among-hundred': {
    about: 'Fragments vanish from streams when more than a hundred run at once.',
    breaks: ['concurrency.streams-under-load'],
    wrap: () => crowding(() => streamed((text, index) => (index % 3 === 2 ? [] : [text])), 100),
  },
  'crowd-is-500': {
    about: 'More than two dozen streams at once are answered with 500.',
    breaks: ['concurrency.streams-under-load'],
    wrap: () =>
      crowding((isCrowded) => ({
        streamHead: (real) => (call) => {
          if (isCrowded(call)) throw refusal(500)
          return real(call)
        },
      })),
  },
  'ids-change-under-load': {
    about: 'The id changes within a stream when more than two dozen run at once.',
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
    about: 'More than a dozen long streams at once share a token each ten milliseconds.',
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
                if (inFlight > crowd / 2) await sleep(freeAtMs - nowMs)
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
