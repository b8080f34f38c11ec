import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { cachingReplies } from '../../wraps/cache.ts'
import { asksForStream, dropping, numberIn, reading, refusing } from '../../wraps/request.ts'
import { onRandomEngine, randomWords } from '../../wraps/words.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-max-tokens.ts` must notice. */
export const maxTokensFaults = {
  'max-tokens-ignored': {
    about: 'max_tokens does not reach the node.',
    breaks: ['max-tokens.count-within-limit', 'max-tokens.limits-the-text'],
    wrap: () => askingForTokens(() => 4096),
  },
  'max-tokens-ignored-in-streams': {
    about: 'For streams, max_tokens does not reach the node.',
    breaks: ['max-tokens.limits-the-stream', 'stream.equals-reply', 'stream.equals-reply-unicode'],
    wrap: () => askingForTokens((tokensMax, _, stream) => (stream ? 4096 : tokensMax)),
  },
  'max-tokens-ignored-by-one-model': {
    about: 'One model ignores max_tokens.',
    breaks: ['max-tokens.limits-each-model'],
    wrap: () => askingForTokens((tokensMax, model) => (model === 'large' ? 4096 : tokensMax)),
  },
  'max-tokens-ignored-on-a-random-engine': {
    about: 'max_tokens does not reach a node that says nothing or much, in words of chance.',
    breaks: ['max-tokens.count-within-limit', 'max-tokens.limits-the-text'],
    wrap: () =>
      onRandomEngine(
        askingForTokens(() => 4096),
        textOfAnyLength,
      ),
  },
  'max-tokens-ignored-in-streams-on-a-random-engine': {
    about: 'For streams, max_tokens does not reach a node that says nothing or much, in words of chance.',
    breaks: ['max-tokens.limits-the-stream'],
    wrap: () =>
      onRandomEngine(
        askingForTokens((tokensMax, _, stream) => (stream ? 4096 : tokensMax)),
        textOfAnyLength,
      ),
  },
  'max-tokens-forgotten-beside-stop': {
    about: 'max_tokens does not reach the node when the request has a stop sequence.',
    breaks: ['max-tokens.limits-beside-other-fields', 'stop.unmatched-changes-nothing'],
    wrap: () => ({
      job: (real) => (request, model, promptTokens, call) => {
        const job = real(request, model, promptTokens, call)
        return job.stop.length > 0 ? { ...job, tokensMax: 4096 } : job
      },
    }),
  },
  'max-tokens-off-by-one': {
    about: 'One token more than max_tokens is generated.',
    breaks: ['max-tokens.count-within-limit'],
    wrap: () => askingForTokens((tokensMax) => tokensMax + 1),
  },
  'max-tokens-small-raised': {
    about: 'A max_tokens below 8 is raised to 8.',
    breaks: ['max-tokens.count-within-limit'],
    wrap: () => askingForTokens((tokensMax) => Math.max(8, tokensMax)),
  },
  'max-tokens-of-one-refused': {
    about: 'A max_tokens of 1 is refused.',
    breaks: ['max-tokens.accepted', 'usage.present', 'key.limit-is-its-own'],
    wrap: () => refusing((body) => numberIn(body, 'max_tokens') === 1),
  },
  'max-tokens-above-sixty-four-refused': {
    about: 'A max_tokens above 64 is refused.',
    breaks: ['max-tokens.accepted'],
    wrap: () => refusing((body) => numberIn(body, 'max_tokens') > 64),
  },
  'max-tokens-count-hidden': {
    about: 'The text exceeds max_tokens, and usage hides it.',
    breaks: ['max-tokens.limits-the-text'],
    wrap: () => ({
      ...askingForTokens(() => 4096),
      countCompletionTokens: () => (counted, call) => Math.min(counted, call.body?.tokensMax ?? counted),
    }),
  },
  'cache-forgets-max-tokens': {
    about: 'Long replies come from a cache that ignores max_tokens.',
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
      cachingReplies(
        ({ tokensMax }) => tokensMax > 72 && tokensMax < 128,
        (body) => JSON.stringify([body['model'], body['messages'], body['stop']]),
      ),
  },
  'max-tokens-ignored-in-streams-of-one-model': {
    about: 'Streams of one model ignore max_tokens.',
    breaks: ['max-tokens.limits-each-model'],
    wrap: () => dropping('max_tokens', (_, body) => asksForStream(body) && body['model'] === 'medium'),
  },
  'max-tokens-true-is-one': {
    about: 'A max_tokens of true is taken as 1.',
    breaks: ['max-tokens.wrong-type-refused'],
    wrap: () => reading((body) => (body['max_tokens'] === true ? { ...body, max_tokens: 1 } : body)),
  },
  'max-tokens-of-one-doubled': {
    about: 'A max_tokens of 1 yields two tokens.',
    breaks: ['max-tokens.count-within-limit'],
    wrap: () => askingForTokens((tokensMax) => Math.max(2, tokensMax)),
  },
  'large-limit-ignored': {
    about: 'A max_tokens above 256 is ignored in non-streamed replies.',
    breaks: ['max-tokens.count-within-limit', 'stream.equals-reply-when-long'],
    wrap: () => askingForTokens((tokensMax, _, stream, limit = 0) => (!stream && limit > 256 ? 4096 : tokensMax)),
  },
  'usage-completion-doubled': {
    about: 'Completion tokens are counted twice.',
    breaks: ['max-tokens.count-within-limit', 'billing.reply-charged'],
    wrap: () => ({ countCompletionTokens: (real) => (counted, call) => real(counted, call) * 2 }),
  },
} as const satisfies Record<string, Fault>

/** Asks the node for another number of tokens. `limit` is the max_tokens of the request. */
function askingForTokens(
  change: (tokensMax: number, model: string, stream: boolean, limit: number | undefined) => number,
): Wrap {
  return {
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      return { ...job, tokensMax: change(job.tokensMax, model.id, request.stream, request.tokensMax) }
    },
  }
}

/** Every third text is empty, and the others have many words. */
function textOfAnyLength(_: unknown, { number }: Call): string {
  return number % 3 === 0 ? '' : randomWords(60, 120)
}
