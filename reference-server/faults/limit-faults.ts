import type { Wrap } from '../gateway/seams.ts'
import type { FinishReason, Fragment, Job } from '../network/node.ts'
import type { Fault } from './fault.ts'
import {
  asJson,
  asksForStream,
  chunkChoices,
  dropping,
  isStream,
  type Json,
  refusing,
  refusingWith,
  replyChoices,
} from './tools.ts'

const limit = (body: Json): number => (typeof body['max_tokens'] === 'number' ? body['max_tokens'] : Number.NaN)

/** Asks the node for another number of tokens. */
function asking(change: (tokensMax: number, model: string, stream: boolean) => number): Wrap {
  return {
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      return { ...job, tokensMax: change(job.tokensMax, model.id, request.stream) }
    },
  }
}

/** Serves from a cache whose key is made of some fields only. */
function cached(isKept: (job: Job) => boolean, keyOf: (body: Json) => string): Wrap {
  const cache = new Map<string, { readonly fragments: readonly Fragment[]; readonly reason: FinishReason }>()
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        const key = keyOf({ ...job, stream: isStream(call), key: call.caller?.key.id })
        const hit = cache.get(key)
        if (hit !== undefined) {
          yield* hit.fragments
          return hit.reason
        }
        const fragments: Fragment[] = []
        const source = real(node, job, signal, call)
        for (;;) {
          const step = await source.next()
          if (step.done) {
            if (isKept(job)) cache.set(key, { fragments, reason: step.value })
            return step.value
          }
          fragments.push(step.value)
          yield step.value
        }
      },
  }
}

/** Faults of max_tokens, and of caches that forget a parameter. */
export const limitFaults = {
  'max-tokens-ignored': {
    about: 'max_tokens does not reach the node.',
    breaks: ['max-tokens.count-within-limit', 'max-tokens.limits-the-text', 'max-tokens.limits-the-stream'],
    wrap: () => asking(() => 4096),
  },
  'max-tokens-ignored-in-streams': {
    about: 'max_tokens does not reach the node for streams.',
    breaks: ['max-tokens.limits-the-stream', 'stream.equals-reply', 'stream.equals-reply-unicode'],
    wrap: () => asking((tokensMax, _, stream) => (stream ? 4096 : tokensMax)),
  },
  'max-tokens-ignored-by-one-model': {
    about: 'One model forgets max_tokens.',
    breaks: ['max-tokens.limits-each-model'],
    wrap: () => asking((tokensMax, model) => (model === 'large' ? 4096 : tokensMax)),
  },
  'max-tokens-forgotten-beside-stop': {
    about: 'max_tokens does not reach the node where a stop sequence does.',
    breaks: ['max-tokens.limits-beside-other-fields', 'stop.unmatched-changes-nothing'],
    wrap: () => ({
      job: (real) => (request, model, promptTokens, call) => {
        const job = real(request, model, promptTokens, call)
        return job.stop.length > 0 ? { ...job, tokensMax: 4096 } : job
      },
    }),
  },
  'max-tokens-off-by-one': {
    about: 'One token more than allowed is generated.',
    breaks: ['max-tokens.count-within-limit'],
    wrap: () => asking((tokensMax) => tokensMax + 1),
  },
  'max-tokens-small-raised': {
    about: 'A limit below 8 is raised to 8.',
    breaks: ['max-tokens.count-within-limit'],
    wrap: () => asking((tokensMax) => Math.max(8, tokensMax)),
  },
  'max-tokens-of-one-refused': {
    about: 'A limit of 1 is refused.',
    breaks: ['max-tokens.accepted', 'usage.present', 'key.limit-is-its-own'],
    wrap: () => refusing((body) => limit(body) === 1),
  },
  'max-tokens-above-sixty-four-refused': {
    about: 'Limits above 64 are refused.',
    breaks: ['max-tokens.accepted'],
    wrap: () => refusing((body) => limit(body) > 64),
  },
  'max-tokens-count-hidden': {
    about: 'The text ignores the limit, and usage hides it.',
    breaks: ['max-tokens.limits-the-text', 'max-tokens.limits-the-stream'],
    wrap: () => ({
      ...asking(() => 4096),
      countCompletionTokens: () => (counted, call) => Math.min(counted, call.body?.tokensMax ?? counted),
    }),
  },
  'max-tokens-zero-unlimited': {
    about: 'A limit of 0 counts as none.',
    breaks: ['max-tokens.zero-is-not-unlimited'],
    wrap: () => dropping('max_tokens', (value) => value === 0),
  },
  'max-tokens-fraction-unlimited': {
    about: 'A fraction of a token counts as no limit.',
    breaks: ['max-tokens.zero-is-not-unlimited'],
    wrap: () => dropping('max_tokens', (value) => Number(value) > 0 && Number(value) < 1),
  },
  'max-tokens-huge-is-500': {
    about: 'A limit beyond 2^32 overflows and crashes the handler.',
    breaks: ['max-tokens.odd-values-graceful'],
    wrap: () => refusing((body) => limit(body) >= 2 ** 32, 500),
  },
  'max-tokens-negative-is-500': {
    about: 'A negative limit reaches the node, which fails.',
    breaks: ['max-tokens.odd-values-graceful', 'max-tokens.zero-is-not-unlimited'],
    wrap: () => refusingWith(502, (body) => limit(body) < 0),
  },
  'finish-reason-stop-when-cut': {
    about: 'A reply that the limit cut says `stop`.',
    breaks: ['max-tokens.finish-reason'],
    wrap: () => replyChoices((choice) => ({ ...choice, finish_reason: 'stop' })),
  },
  'finish-reason-stop-when-cut-streaming': {
    about: 'A stream that the limit cut says `stop`.',
    breaks: ['max-tokens.finish-reason-streaming'],
    wrap: () =>
      chunkChoices((choice) => ({ ...choice, finish_reason: choice['finish_reason'] === null ? null : 'stop' })),
  },
  'finish-reason-always-length': {
    about: 'Every reply says `length`.',
    breaks: ['stop.finish-reason'],
    wrap: () => replyChoices((choice) => ({ ...choice, finish_reason: 'length' })),
  },
  'finish-reason-length-at-stop': {
    about: 'A reply that a stop sequence ended says `length`.',
    breaks: ['stop.finish-reason'],
    wrap: () =>
      replyChoices((choice, _, call) => ({
        ...choice,
        finish_reason: (call.body?.stop.length ?? 0) > 0 ? 'length' : choice['finish_reason'],
      })),
  },
  'cache-forgets-max-tokens': {
    about: 'A cache of long replies whose key has no max_tokens.',
    breaks: [
      'max-tokens.own-limit-per-request',
      'billing.each-model-at-its-price',
      'billing.keys-share-the-account',
      'billing.refusals-are-free',
      'billing.limited-is-free',
      'billing.unavailable-is-free',
      'billing.no-overdraft',
    ],
    wrap: () =>
      cached(
        ({ tokensMax }) => tokensMax > 72 && tokensMax < 128,
        (body) => JSON.stringify([body['model'], body['messages'], body['stop']]),
      ),
  },
  'cache-forgets-stop': {
    about: 'A cache of replies to prompts with a digit, whose key has no stop sequences.',
    breaks: ['stop.own-sequence-per-request'],
    follows: ['stop.late-in-text'],
    wrap: () =>
      cached(
        ({ messages }) => /\d/.test(messages.at(-1)?.content ?? ''),
        (body) => JSON.stringify([body['model'], body['messages'], body['tokensMax']]),
      ),
  },
  'cache-serves-stored-replies': {
    about: 'A cache replays whole replies with their old ids, to other keys too.',
    breaks: ['completion.ids-unique', 'concurrency.keys-not-crossed'],
    follows: ['completion.ids-unique-at-zero'],
    wrap: () => {
      const cache = new Map<string, unknown>()
      return {
        completion: (real) => (parts, call) => {
          const key = JSON.stringify(call.body)
          const hit = cache.get(key) ?? asJson(real(parts, call))
          cache.set(key, hit)
          return hit
        },
      }
    },
  },
  'max-tokens-ignored-in-streams-of-one-model': {
    about: 'Streams of one model have no limit.',
    breaks: ['max-tokens.limits-each-model'],
    wrap: () => dropping('max_tokens', (_, body) => asksForStream(body) && body['model'] === 'medium'),
  },
  'cold-cache-forgets-stop': {
    about: 'Replies at a temperature of zero come from a cache that does not mind stop sequences.',
    breaks: ['stop.ends-text'],
    wrap: () =>
      cached(
        ({ temperature }) => temperature === 0,
        ({ model, messages, tokensMax, temperature, stream, stop }) =>
          JSON.stringify([model, messages, tokensMax, stream, temperature === 0 || stop]),
      ),
  },
} as const satisfies Record<string, Fault>
