import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Seams, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { Job, Message } from '../../../reference-server/network/node.ts'
import { crowding, isShort } from '../../wraps/crowd.ts'
import { refusal } from '../../wraps/request.ts'
import { changingStreamFragments, isStream } from '../../wraps/stream.ts'
import { onRandomEngine } from '../../wraps/words.ts'
import type { Fault } from '../fault.ts'

/** How long requests wait for others to be crossed with. */
const meetingMs = 20

/** Gateways that the checks of `suites/1-service/1-concurrency.ts` must notice. */
export const concurrencyFaults = {
  'replies-crossed': {
    about: 'Short replies generated at the same time all get the text of the latest one.',
    breaks: ['concurrency.replies-not-crossed'],
    wrap: () => crossingReplies((job, call) => isShort(job) && !isStream(call)),
  },
  'streams-crossed': {
    about: 'Short streams generated at the same time all get the text of the latest one.',
    breaks: ['concurrency.streams-not-crossed'],
    wrap: () => crossingReplies((job, call) => isShort(job) && isStream(call)),
  },
  'usage-crossed': {
    about: 'Short replies generated at the same time all report the prompt tokens of the latest one.',
    breaks: ['concurrency.replies-not-crossed'],
    wrap: () => {
      let latest = 0
      return {
        job: (real) => (request, model, promptTokens, call) => {
          const job = real(request, model, promptTokens, call)
          if (isShort(job)) latest = promptTokens
          return job
        },
        generate: meeting,
        completion: (real) => (parts, call) => real(isBrief(call) ? { ...parts, promptTokens: latest } : parts, call),
      }
    },
  },
  'stream-chunks-crossed-on-a-random-engine': {
    about:
      'Short streams of words of chance, generated at the same time, all get their sixth chunk from the latest one.',
    breaks: ['concurrency.streams-not-crossed', 'chunk.id-constant'],
    wrap: () => {
      let latest = ''
      return {
        ...onRandomEngine({ generate: meeting }),
        newId: (real) => (call) => {
          const id = real(call)
          if (isBrief(call)) latest = id
          return id
        },
        chunk: (real) => (parts, call) =>
          real(parts.position === 5 && isBrief(call) ? { ...parts, id: latest } : parts, call),
      }
    },
  },
  'stream-usage-crossed-on-a-random-engine': {
    about:
      'Short streams of words of chance, generated at the same time, all report the prompt tokens of the latest one.',
    breaks: ['concurrency.streams-not-crossed'],
    wrap: () => {
      let latest = 0
      return {
        job: (real) => (request, model, promptTokens, call) => {
          const job = real(request, model, promptTokens, call)
          if (isShort(job)) latest = promptTokens
          return job
        },
        ...onRandomEngine({ generate: meeting }),
        usageChunk: (real) => (parts, call) => real(isBrief(call) ? { ...parts, promptTokens: latest } : parts, call),
      }
    },
  },
  'streams-crossed-under-load': {
    about: 'Streams get the text of the latest one when more than two dozen run at once.',
    breaks: ['concurrency.streams-under-load'],
    wrap: () => crowding(() => crossingReplies(() => true)),
  },
  'streams-lose-words-under-load': {
    about: 'Streams lose fragments when more than two dozen run at once.',
    breaks: ['concurrency.streams-under-load'],
    wrap: () => crowding(() => changingStreamFragments((text, index) => (index % 3 === 2 ? [] : [text]))),
  },
  'streams-lose-words-among-hundred': {
    about: 'Streams lose fragments when more than a hundred run at once.',
    breaks: ['concurrency.streams-under-load'],
    wrap: () => crowding(() => changingStreamFragments((text, index) => (index % 3 === 2 ? [] : [text])), 100),
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
} as const satisfies Record<string, Fault>

/** The same as `isShort`, before there is a job. */
function isBrief({ body }: Call): boolean {
  const tokensMax = body?.tokensMax ?? 0
  return tokensMax > 20 && tokensMax < 32
}

/** Holds short requests back for a moment, so that those that come together meet. */
function meeting(real: Seams['generate']): Seams['generate'] {
  return async function* (node, job, signal, call) {
    if (isShort(job)) await sleep(meetingMs)
    return yield* real(node, job, signal, call)
  }
}

/** Gives requests that are generated at the same time the reply to the latest of them. */
function crossingReplies(when: (job: Job, call: Call) => boolean): Wrap {
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
