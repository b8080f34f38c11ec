import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '../../reference-server/gateway/gateway-error.ts'
import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import type { Fragment, Job } from '../../reference-server/network/node.ts'
import { stopMatcher } from '../../reference-server/network/stop.ts'
import { createSemaphore } from '../../src/semaphore.ts'
import { forOtherModels, pacing, speaking } from '../wraps/words.ts'
import type { Variant } from './variant.ts'

/** Gateways that are inference engines themselves, with one machine to run on. */
export const enginesVariants = {
  'engine-serves-one-at-a-time': {
    reported: true,
    about: 'An engine writes one reply at a time, at 400 tokens a second; all others wait. Being slow is legal.',
    group: 'pace',
    wrap: () => forOtherModels({ generate: oneAtATime(400, { worksOn: false }) }),
  },
  'engine-works-on-for-those-who-left': {
    reported: true,
    about:
      'An engine writes one reply at a time, and to its end when its client has left; the contract names no cancellation.',
    group: 'pace',
    wrap: () => forOtherModels({ generate: oneAtATime(400, { worksOn: true }) }),
  },
  'engine-without-a-limit-of-its-own': {
    reported: true,
    about: 'A reply without max_tokens, or with none above 0, goes on for 4,000 tokens, one reply at a time.',
    group: ['pace', 'text', 'limit'],
    wrap: () => ({
      ...endlessText(4000),
      ...forOtherModels({ generate: oneAtATime(400, { worksOn: true, say: endlessWords }) }),
    }),
  },
  'engine-queues-four-then-429': {
    about: 'An engine lets four requests wait for the one that it serves and refuses the next with 429.',
    group: ['pace', 'refused-limit'],
    wrap: () => queueing(4, 429, 'rate_limit_error'),
  },
  'engine-queues-four-then-503': {
    about: 'An engine lets four requests wait for the one that it serves and refuses the next with 503.',
    group: ['pace', 'refused-limit'],
    wrap: () => queueing(4, 503, 'server_error'),
  },
  'engine-of-twenty-tokens-a-second': {
    about: 'The first token takes 400 ms and each further one 50 ms, as on a laptop without a GPU.',
    group: 'pace',
    wrap: () => pacing((index) => (index === 0 ? 400 : 50)),
  },
  'engine-with-tokens-of-one-byte': {
    reported: true,
    about: 'Tokens are bytes, in prompts and in replies; the contract names no tokenizer.',
    group: ['text', 'tokens'],
    wrap: () => ({
      ...speaking(
        (job) => job.messages.at(-1)?.content ?? '',
        (text) => [...text],
      ),
      countPromptTokens: () => (request) =>
        request.messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0),
    }),
  },
  'engine-that-says-three-words': {
    reported: true,
    about: 'Every reply ends after three words of chance; the contract promises no length.',
    group: 'text',
    wrap: () => speaking(() => `${word()} ${word()} ${word()}.`),
  },
} as const satisfies Record<string, Variant>

interface OneAtATime {
  /** Whether a reply goes on when its client has left. */
  readonly worksOn: boolean
  /** Another text than the node's. */
  readonly say?: (job: Job) => AsyncGenerator<Fragment, 'stop' | 'length'>
}

/** Writes one reply at a time, at so many tokens a second. */
function oneAtATime(tokensPerS: number, { worksOn, say }: OneAtATime): (real: Seams['generate']) => Seams['generate'] {
  const enter = createSemaphore(1)
  return (real) =>
    async function* (node, job, signal, call) {
      const leave = await enter()
      const never = new AbortController().signal
      const reply = say?.(job) ?? real(node, job, worksOn ? never : signal, call)
      let isOver = false
      try {
        for (let written = 0; ; written += 1) {
          const step = await reply.next()
          if (step.done) {
            isOver = true
            return step.value
          }
          if (written % 4 === 3) await sleep((4 * 1000) / tokensPerS)
          yield step.value
        }
      } finally {
        if (isOver || !worksOn) leave()
        else void finish(reply, tokensPerS).finally(leave)
      }
    }
}

/** Writes the rest of a reply that nobody reads. */
async function finish(reply: AsyncGenerator<Fragment, unknown>, tokensPerS: number): Promise<void> {
  for (let written = 0; ; written += 1) {
    if ((await reply.next()).done) return
    if (written % 4 === 3) await sleep((4 * 1000) / tokensPerS)
  }
}

/** Accepts limits of 0 and below, which then count as none. */
function endlessText(tokensMax: number): Wrap {
  return {
    validate: (real) => (value, call) => {
      const { max_tokens: limit } = Object(value) as { readonly max_tokens?: unknown }
      const isNone = limit === undefined || (typeof limit === 'number' && limit <= 0)
      return real(isNone ? { ...Object(value), max_tokens: tokensMax } : value, call)
    },
  }
}

async function* endlessWords({ tokensMax, messages, stop }: Job): AsyncGenerator<Fragment, 'stop' | 'length'> {
  const isShort = (messages.at(-1)?.content ?? '').includes('single word')
  const matcher = stopMatcher(stop)
  for (let count = 0; count < tokensMax; count += 1) {
    if (isShort && count === 1) break
    const { text, stopped } = matcher.push(`${word()} `)
    yield { text, tokens: 1 }
    if (stopped) return 'stop'
  }
  yield { text: matcher.end().text, tokens: 0 }
  return isShort ? 'stop' : 'length'
}

/** One request is served, some wait, and the next is refused. */
function queueing(waitingMax: number, status: number, type: string): Wrap {
  let inside = 0
  return {
    ...forOtherModels({ generate: oneAtATime(1000, { worksOn: false }) }),
    serve: (real) => async (call) => {
      inside += call.request.method === 'POST' ? 1 : 0
      try {
        await real(call)
      } finally {
        inside -= call.request.method === 'POST' ? 1 : 0
      }
    },
    validate: (real) => (value, call) => {
      if (inside > waitingMax + 1) throw new GatewayError('The queue is full.', { status, type, code: 'busy' })
      return real(value, call)
    },
  }
}

const vocabulary = 'harbour lamp rain boat quiet night rope gull tide stone salt wind'.split(' ')

function word(): string {
  return vocabulary[Math.floor(Math.random() * vocabulary.length)] ?? 'harbour'
}
