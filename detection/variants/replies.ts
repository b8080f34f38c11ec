import { randomUUID } from 'node:crypto'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { encodedJson, errorBodies, jsonBodies } from '../wraps/answer.ts'
import { asJson, firstChoice, type Json, jsonLiterals } from '../wraps/json.ts'
import { changingListedModels } from '../wraps/list.ts'
import { replies, replyChoices, usages } from '../wraps/reply.ts'
import { forOtherModels } from '../wraps/words.ts'
import type { Variant } from './variant.ts'

/** Legal gateways whose ids, JSON, replies or counts are unusual. */
export const repliesVariants = {
  'ids-uuid': {
    reported: true,
    about: 'Completion ids are bare UUIDs; an id is an opaque string.',
    group: 'ids',
    wrap: () => ({ newId: () => () => randomUUID() }),
  },
  'ids-short-counter': {
    reported: true,
    about: 'Completion ids are chatcmpl-693 and onwards; an id is an opaque string.',
    group: 'ids',
    wrap: () => ({ newId: () => (call) => `chatcmpl-${692 + call.number}` }),
  },
  'ids-digits': {
    about: 'Completion ids are strings of digits; an id is an opaque string.',
    group: 'ids',
    wrap: () => ({ newId: () => (call) => `0217660${call.number}` }),
  },
  'ids-long-with-odd-characters': {
    about: 'Completion ids are long and contain slashes, spaces and letters outside ASCII; an id is an opaque string.',
    group: 'ids',
    wrap: () => ({ newId: () => (call) => `gen/é ${'x'.repeat(200)}+${call.number}==` }),
  },
  'finish-reason-of-vendor': {
    reported: true,
    about: 'A reply that ends by itself has finish_reason `eos`; the contract shows `stop` and excludes nothing.',
    group: 'finish-reason',
    wrap: () => changingFinishReasons((reason) => (reason === 'stop' ? 'eos' : reason)),
  },
  'finish-reason-content-filter': {
    about:
      'A reply that ends by itself has finish_reason `content_filter`; the contract shows `stop` and excludes nothing.',
    group: 'finish-reason',
    wrap: () => changingFinishReasons((reason) => (reason === 'stop' ? 'content_filter' : reason)),
  },
  'finish-reason-max-tokens': {
    about: 'A reply cut by its limit has finish_reason `max_tokens`; the contract excludes no value.',
    group: 'finish-reason',
    wrap: () => changingFinishReasons((reason) => (reason === 'length' ? 'max_tokens' : reason)),
  },
  'whitespace-before-json': {
    reported: true,
    about:
      'Spaces and line breaks come before the JSON of a body, to keep slow connections alive; they have no meaning.',
    group: 'json-text',
    wrap: () => jsonBodies((body) => `\n\n   \r\n\t${body}`),
  },
  'newline-after-json': {
    about: 'A line break follows the JSON of a body; white space around JSON has no meaning.',
    wrap: () => jsonBodies((body) => `${body}\n`),
  },
  'json-pretty-printed': {
    about: 'Bodies are indented JSON; white space between tokens has no meaning.',
    group: 'json-text',
    wrap: () => jsonBodies((body) => JSON.stringify(JSON.parse(body), null, 4)),
  },
  'json-spaced': {
    about: 'Spaces surround colons and commas, in chunks too; white space between tokens has no meaning.',
    group: 'json-text',
    wrap: () => encodedJson((json) => jsonLiterals(json, { other: (text) => text.replace(/[:,]/g, ' $& ') })),
  },
  'json-keys-reversed': {
    about: 'Objects have their keys in reverse order; order has no meaning in JSON.',
    wrap: () => ({ encode: (real) => (value, call) => real(reversed(value), call) }),
  },
  'json-unicode-escaped': {
    reported: true,
    about: 'Everything outside ASCII is written as \\uXXXX, in surrogate pairs where needed; JSON allows it.',
    group: 'json-text',
    wrap: () => encodedJson((json) => json.replace(/[^ -~]/g, escaped)),
  },
  'json-slashes-escaped': {
    about: 'Slashes are written as \\/, as PHP does; JSON allows it.',
    group: 'json-text',
    wrap: () => encodedJson((json) => json.replaceAll('/', '\\/')),
  },
  'json-letters-escaped': {
    about: 'Vowels inside strings, including keys, are written as \\uXXXX; JSON allows it.',
    group: 'json-text',
    wrap: () =>
      encodedJson((json) =>
        jsonLiterals(json, {
          string: (text) =>
            text.replace(/\\u[0-9a-f]{4}|\\.|[aeiou]/gi, (part) => (part.length === 1 ? escaped(part) : part)),
        }),
      ),
  },
  'reply-with-extra-fields': {
    reported: true,
    about: 'Replies carry the provider, citations and statistics; extra fields are welcome.',
    wrap: () => replies((reply) => ({ ...reply, provider: 'North', citations: [], x_trace: { ms: 4 }, stats: null })),
  },
  'message-with-extra-fields': {
    about: 'Messages carry a refusal, annotations and reasoning; extra fields are welcome.',
    wrap: () =>
      replyChoices((choice) => ({
        ...choice,
        logprobs: null,
        stop_reason: null,
        message: {
          ...asJson(choice['message']),
          refusal: null,
          annotations: [],
          tool_calls: null,
          reasoning_content: 'The user wants something.',
        },
      })),
  },
  'extra-fields-everywhere': {
    about: 'Every object of replies, chunks, lists and errors carries an extra field; extra fields are welcome.',
    wrap: () => ({
      ...replies((reply) => ({ ...reply, extra: { deep: [1, null] } })),
      ...changingListedModels((model) => ({ ...model, extra: 'x' })),
      ...errorBodies((error) => ({ ...asJson(error.body()), extra: true, request_id: 'req_1' })),
      chunk: (real) => (parts, call) => ({ ...asJson(real(parts, call)), extra: 1.5 }),
      usageChunk: (real) => (parts, call) => ({ ...asJson(real(parts, call)), extra: 1.5 }),
    }),
  },
  'usage-with-details': {
    reported: true,
    about: 'Usage carries detail objects and vendor counters; extra fields are welcome.',
    wrap: () =>
      usages((usage) => ({
        ...usage,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: null },
        completion_tokens_details: { reasoning_tokens: 0 },
        queue_time: 0.0123,
        cost: 1.2e-7,
      })),
  },
  'reasoning-spends-the-limit': {
    about: 'Twelve hidden tokens come first and count against max_tokens, so there may be no text.',
    group: 'count',
    wrap: () => thinking(12),
  },
  'reasoning-spends-small-limits': {
    about: 'A hundred hidden tokens come first, so a smaller max_tokens leaves no token for text.',
    group: ['count', 'limit'],
    wrap: () => thinking(100),
  },
  'reasoning-counted-beside-the-text': {
    reported: true,
    about: 'completion_tokens includes hidden tokens as far as max_tokens allows; nobody can count them from the text.',
    group: ['count', 'limit'],
    wrap: () => ({
      countCompletionTokens: (real) => (counted, call) =>
        Math.min(real(counted, call) + 30, Math.max(counted, call.body?.tokensMax ?? 4096)),
    }),
  },
  'created-before-it-was-asked-for': {
    about: 'created is three hours old, as in a reply kept by a cache; it is still the time of creation.',
    wrap: () => ({ now: (real) => (call) => real(call) - 10_800 }),
  },
  'prompt-template-of-200-tokens': {
    reported: true,
    about: 'prompt_tokens includes 200 tokens of a template; the messages set only a lower bound.',
    wrap: () => ({ countPromptTokens: (real) => (request, call) => real(request, call) + 200 }),
  },
  'max-tokens-clamped-silently': {
    reported: true,
    about: "A max_tokens above 24 is lowered to 24, the model's ceiling; the contract does not show the upper bound.",
    group: 'limit',
    wrap: () => limitingTokens((tokensMax) => Math.min(24, tokensMax)),
  },
  'max-tokens-default-small': {
    about: 'A request without max_tokens gets at most 16 tokens; the contract shows no default.',
    group: 'limit',
    wrap: () => ({
      job: (real) => (request, model, promptTokens, call) =>
        real({ ...request, tokensMax: request.tokensMax ?? 16 }, model, promptTokens, call),
    }),
  },
  'replies-are-listed': {
    reported: true,
    about: 'GET of the chat path lists the replies that are kept, as at OpenAI; the contract shows only POST.',
    wrap: () => ({
      serve: (real) => async (call) => {
        const { request, response } = call
        if (request.method !== 'GET' || request.url?.endsWith('/chat/completions') !== true) return real(call)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
      },
    }),
  },
} as const satisfies Record<string, Variant>

/** Lets the model think before it speaks, which uses up the limit. */
function thinking(tokens: number): Wrap {
  return forOtherModels({
    generate: (real) =>
      async function* (node, job, signal, call) {
        const spent = Math.min(tokens, job.tokensMax)
        yield { text: '', tokens: spent }
        if (spent === job.tokensMax) return 'length'
        return yield* real(node, { ...job, tokensMax: job.tokensMax - spent }, signal, call)
      },
  })
}

/** Asks the node for another number of tokens. */
function limitingTokens(change: (tokensMax: number) => number): Wrap {
  return forOtherModels({
    job: (real) => (request, model, promptTokens, call) => {
      const job = real(request, model, promptTokens, call)
      return { ...job, tokensMax: change(job.tokensMax) }
    },
  })
}

/** Gives the reasons for which replies and streams finish other names. */
function changingFinishReasons(change: (reason: string) => string): Wrap {
  const renamed = (holder: Json, reason: string): Json => ({
    ...holder,
    choices: firstChoice(holder, (choice) => ({ ...choice, finish_reason: change(reason) })),
  })
  return forOtherModels({
    completion: (real) => (parts, call) => renamed(asJson(real(parts, call)), parts.finishReason),
    chunk: (real) => (parts, call) => {
      const chunk = asJson(real(parts, call))
      return parts.finishReason === undefined ? chunk : renamed(chunk, parts.finishReason)
    },
  })
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The same value with the fields of its objects in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, reversed(field)]),
  )
}
