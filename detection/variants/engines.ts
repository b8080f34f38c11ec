import { GatewayError } from '../../reference-server/gateway/gateway-error.ts'
import type { ChatRequest } from '../../reference-server/gateway/request/chat-request.ts'
import type { Seams, Wrap } from '../../reference-server/gateway/seams.ts'
import { stopMatcher } from '../../reference-server/network/stop.ts'
import { oneAtATime } from '../wraps/engine.ts'
import { priced } from '../wraps/prices.ts'
import { pacing, saying, speaking } from '../wraps/words.ts'
import type { Variant } from './variant.ts'

/** Milliseconds a token. */
const quick = { tokenMs: 2.5 }
const slow = { firstTokenMs: 400, tokenMs: 50 }
/** In tokens. */
const smallWindow = 4096

/** Gateways that are inference engines themselves, with one machine to run on. */
export const enginesVariants = {
  'engine-serves-one-at-a-time': {
    reported: true,
    about: 'An engine writes one reply at a time, at 400 tokens a second; all others wait. Being slow is legal.',
    group: 'pace',
    wrap: () => oneAtATime(quick),
  },
  'engine-works-on-for-those-who-left': {
    reported: true,
    about:
      'An engine writes one reply at a time, and to its end when its client has left; the contract names no cancellation.',
    group: 'pace',
    wrap: () => oneAtATime({ ...quick, worksOn: true }),
  },
  'engine-without-a-limit-of-its-own': {
    reported: true,
    about: 'A reply without max_tokens, or with none above 0, goes on for 4,000 tokens, one reply at a time.',
    group: ['pace', 'text', 'limit'],
    wrap: () => ({ ...endlessText(4000), ...oneAtATime({ ...quick, worksOn: true, say: endlessWords }) }),
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
    wrap: () => pacing((index) => (index === 0 ? slow.firstTokenMs : slow.tokenMs)),
  },
  'engine-with-tokens-of-one-byte': {
    reported: true,
    about: 'Tokens are bytes, in prompts and in replies; the contract names no tokenizer.',
    group: ['text', 'tokens'],
    wrap: () => ({
      ...speaking((job) => job.messages.at(-1)?.content ?? '', letters),
      countPromptTokens: () => bytesOf,
    }),
  },
  'engine-that-says-three-words': {
    reported: true,
    about: 'Every reply ends after three words of chance; the contract promises no length.',
    group: 'text',
    wrap: () => speaking(() => `${words(3)}.`),
  },
  'engine-with-a-window-of-4096': {
    about: 'A model that the contract does not list has room for 4,096 tokens, which whoever runs it knows.',
    group: ['window', 'prices'],
    contextWindow: smallWindow,
    wrap: withSmallWindow,
  },
  'engine-with-a-long-template': {
    about: 'Tokens are bytes, a template adds 2,200 of them to every prompt, and the window has room for 4,096.',
    group: ['text', 'tokens', 'window', 'prices'],
    contextWindow: smallWindow,
    wrap: () => ({
      ...withSmallWindow(),
      countPromptTokens: () => (request) => bytesOf(request) + 2200,
    }),
  },
  'engine-on-a-laptop': {
    reported: true,
    about:
      'One reply at a time, at 20 tokens a second and to its end whoever has left; tokens are bytes, the window has room for 4,096, and the text is chance at every temperature.',
    group: ['pace', 'text', 'tokens', 'window', 'prices'],
    contextWindow: smallWindow,
    wrap: () => ({
      ...withSmallWindow(),
      ...oneAtATime({ ...slow, worksOn: true, say: saying(() => words(), letters) }),
      countPromptTokens: () => bytesOf,
    }),
  },
} as const satisfies Record<string, Variant>

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

const endlessWords: Seams['generate'] = async function* (_, { tokensMax, messages, stop }) {
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

/** A model of another price, so that no price tells its window. */
function withSmallWindow(): Wrap {
  return {
    ...priced(() => [0.02, 0.02]),
    findModel: (real) => (id, call) => {
      const model = real(id, call)
      return model === undefined ? undefined : { ...model, contextWindow: Math.min(model.contextWindow, smallWindow) }
    },
  }
}

/** One request is served, some wait, and the next is refused. */
function queueing(waitingMax: number, status: number, type: string): Wrap {
  let inside = 0
  return {
    ...oneAtATime({ tokenMs: 1 }),
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

function words(count = 20 + Math.floor(Math.random() * 40)): string {
  return Array.from({ length: count }, word).join(' ')
}

const letters = (text: string): string[] => [...text]

/** Tokens of a prompt where each byte is one. */
function bytesOf({ messages }: ChatRequest): number {
  return messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
}

function word(): string {
  return vocabulary[Math.floor(Math.random() * vocabulary.length)] ?? 'harbour'
}
