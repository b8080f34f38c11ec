import type { Wrap } from '../gateway/seams.ts'
import type { Fault } from './fault.ts'
import { asJson, isStream, listed, lists, replies, replyChoices, usages } from './tools.ts'

/** Changes the JSON text of a reply, for what a JavaScript value can not say. */
function replyText(change: (text: string) => string): Wrap {
  return {
    encode: (real) => (value, call) =>
      asJson(value)['object'] === 'chat.completion' ? change(real(value, call)) : real(value, call),
  }
}

/** Faults in the shape of a reply that is not streamed. */
export const shapeFaults = {
  'reply-is-502': {
    about: 'Replies that are not streamed always fail.',
    breaks: ['chat.answers'],
    wrap: () => ({ replyHead: (real) => (call) => ({ ...real(call), status: 502 }) }),
  },
  'reply-has-no-choices': {
    about: 'A reply comes without choices.',
    breaks: ['chat.answers'],
    wrap: () => replies(({ choices: _, ...reply }) => reply),
  },
  'reply-id-missing': {
    about: 'A reply has no id.',
    breaks: ['completion.id', 'concurrency.keys-not-crossed'],
    wrap: () => replies(({ id: _, ...reply }) => reply),
  },
  'reply-id-empty-on-long-replies': {
    about: 'Replies of more than forty tokens have an empty id.',
    breaks: ['completion.id', 'completion.ids-unique'],
    wrap: () => replies((reply, { completionTokens }) => (completionTokens > 40 ? { ...reply, id: '' } : reply)),
  },
  'reply-ids-repeat': {
    about: 'Every reply has the same id.',
    breaks: ['completion.ids-unique', 'concurrency.keys-not-crossed'],
    wrap: () => replies((reply) => ({ ...reply, id: 'chatcmpl-1' })),
  },
  'reply-object-of-a-chunk': {
    about: 'A reply calls itself a chunk.',
    breaks: ['completion.object'],
    wrap: () => replies((reply) => ({ ...reply, object: 'chat.completion.chunk' })),
  },
  'reply-created-in-ms': {
    about: 'created is in milliseconds.',
    breaks: ['completion.created'],
    wrap: () => replies((reply, { created }) => ({ ...reply, created: created * 1000 })),
  },
  'reply-created-is-float': {
    about: 'created is written with a fraction.',
    breaks: ['completion.created'],
    wrap: () => replyText((text) => text.replace(/"created":(\d+)/, '"created":$1.0')),
  },
  'reply-created-is-string': {
    about: 'created is a string.',
    breaks: ['completion.created'],
    wrap: () => replies((reply, { created }) => ({ ...reply, created: String(created) })),
  },
  'reply-created-missing': {
    about: 'A reply has no created.',
    breaks: ['completion.created'],
    wrap: () => replies(({ created: _, ...reply }) => reply),
  },
  'reply-created-zero': {
    about: 'created is 0.',
    breaks: ['completion.created'],
    wrap: () => replies((reply) => ({ ...reply, created: 0 })),
  },
  'reply-names-backend-model': {
    about: 'A reply names the model as its node does.',
    breaks: ['completion.model'],
    wrap: () => replies((reply, { model }) => ({ ...reply, model: `backend/${model}-v2` })),
  },
  'reply-model-wrong-for-one': {
    about: 'One model answers under the name of another.',
    breaks: ['completion.model'],
    wrap: () => replies((reply, { model }) => (model === 'large' ? { ...reply, model: 'small' } : reply)),
  },
  'reply-index-missing': {
    about: 'A choice has no index.',
    breaks: ['completion.choice-index'],
    wrap: () => replyChoices(({ index: _, ...choice }) => choice),
  },
  'reply-index-from-one': {
    about: 'Choices are numbered from 1.',
    breaks: ['completion.choice-index'],
    wrap: () => replyChoices((choice) => ({ ...choice, index: 1 })),
  },
  'reply-role-bot': {
    about: 'The role of a reply is bot.',
    breaks: ['completion.role'],
    wrap: () => replyChoices((choice) => ({ ...choice, message: { ...asJson(choice['message']), role: 'bot' } })),
  },
  'reply-role-missing': {
    about: 'The message of a reply has no role.',
    breaks: ['completion.role'],
    wrap: () => replyChoices((choice) => ({ ...choice, message: { content: asJson(choice['message'])['content'] } })),
  },
  'reply-content-null': {
    about: 'The content of a reply is null.',
    breaks: ['completion.content', 'completion.text-not-empty', 'stream.false-means-json'],
    wrap: () => replyChoices((choice) => ({ ...choice, message: { role: 'assistant', content: null } })),
  },
  'reply-content-null-when-short': {
    about: 'The content of a reply of one token is null.',
    breaks: ['completion.content'],
    wrap: () =>
      replyChoices((choice, { completionTokens }) =>
        completionTokens === 1 ? { ...choice, message: { role: 'assistant', content: null } } : choice,
      ),
  },
  'reply-content-in-parts': {
    about: 'The content of a reply is a list of parts.',
    breaks: ['completion.content', 'completion.text-not-empty', 'stream.false-means-json'],
    wrap: () =>
      replyChoices((choice, { text }) => ({
        ...choice,
        message: { role: 'assistant', content: [{ type: 'text', text }] },
      })),
  },
  'reply-text-lost': {
    about: 'The text of a reply is empty, though tokens are counted.',
    breaks: ['completion.text-not-empty', 'stream.equals-reply-unicode'],
    wrap: () => replyChoices((choice) => ({ ...choice, message: { role: 'assistant', content: '' } })),
  },
  'reply-finish-reason-null': {
    about: 'finish_reason of a reply is null.',
    breaks: ['completion.finish-reason'],
    wrap: () => replyChoices((choice) => ({ ...choice, finish_reason: null })),
  },
  'reply-finish-reason-empty': {
    about: 'finish_reason of a reply is empty.',
    breaks: ['completion.finish-reason'],
    wrap: () => replyChoices((choice) => ({ ...choice, finish_reason: '' })),
  },
  'reply-error-inside': {
    about: 'A reply carries an error beside its choices.',
    breaks: ['completion.no-error-inside'],
    wrap: () => replies((reply) => ({ ...reply, error: { message: 'node 3 timed out' } })),
  },
  'reply-second-choice-broken': {
    about: 'A second choice without a message follows the first.',
    breaks: ['completion.matches-schema'],
    wrap: () =>
      replies((reply) => ({
        ...reply,
        choices: [...(Array.isArray(reply['choices']) ? reply['choices'] : []), { index: 1 }],
      })),
  },
  'reply-as-text': {
    about: 'Replies are labelled text/plain.',
    breaks: ['reply.content-type', 'stream.absent-means-json', 'stream.false-means-json'],
    wrap: () => ({ replyHead: (real) => (call) => ({ ...real(call), headers: { 'content-type': 'text/plain' } }) }),
  },
  'reply-as-text-when-long': {
    about: 'Replies of some length are labelled text/html.',
    breaks: ['reply.content-type'],
    wrap: () => ({
      sendBody: (real) => (head, body, call) =>
        real(
          head.status === 200 && body.length > 480 && call.request.method === 'POST'
            ? { ...head, headers: { ...head.headers, 'content-type': 'text/html' } }
            : head,
          body,
          call,
        ),
    }),
  },
  'reply-in-two-values': {
    about: 'A second JSON value follows a long reply.',
    breaks: ['reply.one-json-value', 'completion.id', 'completion.object', 'completion.model', 'completion.role', 'completion.content', 'completion.finish-reason', 'completion.matches-schema', 'usage.present'],
    wrap: () => replyText((text) => (text.length > 480 ? `${text}\n{"done":true}` : text)),
  },
  'reply-in-latin-1': {
    about: 'Replies are sent as Latin-1.',
    breaks: ['reply.one-json-value', 'message.unicode-accepted', 'completion.id', 'completion.object', 'completion.model', 'completion.role', 'completion.content', 'completion.finish-reason', 'completion.matches-schema', 'usage.present'],
    wrap: () => ({
      sendBody: (real) => async (head, body, call) => {
        if (head.status !== 200 || call.request.method !== 'POST') return real(head, body, call)
        const bytes = Buffer.from(body, 'latin1')
        call.response.writeHead(200, { ...head.headers, 'content-length': bytes.length })
        await new Promise<void>((done) => call.response.once('close', done).end(bytes))
      },
    }),
  },
  'reply-mojibake': {
    about: 'Text outside ASCII is encoded twice in replies.',
    breaks: ['stream.no-mojibake', 'stream.equals-reply-unicode'],
    wrap: () =>
      replyChoices((choice, { text }) => ({
        ...choice,
        message: { role: 'assistant', content: Buffer.from(text, 'utf8').toString('latin1') },
      })),
  },
  'stream-for-accept-header': {
    about: 'A request that accepts event streams gets one, whatever `stream` says.',
    breaks: ['stream.false-means-json', 'completion.id', 'completion.object', 'completion.model', 'completion.role', 'completion.content', 'completion.finish-reason', 'completion.matches-schema', 'usage.present', 'reply.content-type', 'reply.one-json-value', 'stream.absent-means-json'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return call.request.headers.accept === 'text/event-stream' ? { ...body, stream: true } : body
      },
    }),
  },
  'stream-by-default': {
    about: 'A request without `stream` gets a stream.',
    breaks: ['chat.answers'],
    wrap: () => ({
      validate: (real) => (value, call) => ({ ...real(value, call), stream: asJson(value)['stream'] !== false }),
    }),
  },
  'stream-false-ignored': {
    about: 'A request with `stream: false` gets a stream.',
    breaks: ['stream.false-means-json', 'completion.id', 'completion.object', 'completion.model', 'completion.role', 'completion.content', 'completion.finish-reason', 'completion.matches-schema', 'usage.present', 'reply.content-type', 'reply.one-json-value'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return asJson(value)['stream'] === false ? { ...body, stream: true } : body
      },
    }),
  },
  'stream-ignored': {
    about: 'A request with `stream: true` gets one JSON object.',
    breaks: ['stream.answers', 'sampling.extremes-together-accepted', 'message.roles-accepted', 'message.unicode-accepted'],
    wrap: () => ({ validate: (real) => (value, call) => ({ ...real(value, call), stream: false }) }),
  },
  'stream-needs-accept-header': {
    about: 'A stream is sent only to those who accept event streams.',
    breaks: ['stream.true-means-events', 'stream.content-type', 'stream.ends-with-done', 'stream.no-bare-lines', 'stream.events-terminated'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return call.request.headers.accept === 'application/json' ? { ...body, stream: false } : body
      },
    }),
  },
  'stream-string-is-true': {
    about: 'A `stream` in quotes counts as true.',
    breaks: ['stream.wrong-type-refused'],
    wrap: () => ({
      validate: (real) => (value, call) =>
        real(asJson(value)['stream'] === 'true' ? { ...asJson(value), stream: true } : value, call),
    }),
  },
  'one-model-fails': {
    about: 'A model that is listed answers 404.',
    breaks: ['reply.model-each', 'temperature.in-range-accepted-each-model', 'top-p.in-range-accepted-each-model', 'max-tokens.limits-each-model', 'stop.ends-text-each-model', 'stream.model-each'],
    wrap: () => ({ findModel: (real) => (id, call) => (id === 'large' ? undefined : real(id, call)) }),
  },
  'one-model-does-not-stream': {
    about: 'One model answers streams with JSON.',
    breaks: ['stream.model-each', 'stream.content-type', 'stream.ends-with-done', 'stream.no-bare-lines', 'stream.events-terminated'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return body.model === 'medium' ? { ...body, stream: false } : body
      },
    }),
  },
} as const satisfies Record<string, Fault>

/** Faults of usage. */
export const usageFaults = {
  'usage-missing': {
    about: 'A reply has no usage.',
    breaks: ['usage.present', 'usage.longer-prompt-costs-more', 'usage.history-counts', 'usage.system-counts', 'usage.stream-agrees-with-reply'],
    wrap: () => replies(({ usage: _, ...reply }) => reply),
  },
  'usage-null': { about: 'usage is null.', breaks: ['usage.present', 'usage.longer-prompt-costs-more', 'usage.history-counts', 'usage.system-counts', 'usage.stream-agrees-with-reply'], wrap: () => usages(() => null) },
  'usage-has-completion-only': {
    about: 'usage counts completion tokens alone.',
    breaks: ['usage.present', 'usage.longer-prompt-costs-more', 'usage.history-counts', 'usage.system-counts', 'usage.stream-agrees-with-reply'],
    wrap: () => usages(({ completion_tokens }) => ({ completion_tokens })),
  },
  'usage-as-strings': {
    about: 'Counts are strings.',
    breaks: ['usage.present', 'usage.longer-prompt-costs-more', 'usage.history-counts', 'usage.system-counts', 'usage.stream-agrees-with-reply'],
    wrap: () =>
      usages((usage) => Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, String(count)]))),
  },
  'usage-as-floats': {
    about: 'Counts are written with a fraction.',
    breaks: ['usage.whole-numbers'],
    wrap: () => replyText((text) => text.replace(/"(prompt|completion|total)_tokens":(\d+)/g, '"$1_tokens":$2.0')),
  },
  'usage-total-wrong': {
    about: 'The total leaves the prompt out.',
    breaks: ['usage.total-is-sum'],
    wrap: () => usages((usage) => ({ ...usage, total_tokens: usage['completion_tokens'] })),
  },
  'usage-total-wrong-when-long': {
    about: 'The total of a long reply is one too high.',
    breaks: ['usage.total-is-sum'],
    wrap: () =>
      usages((usage, { completionTokens }) =>
        completionTokens > 60 ? { ...usage, total_tokens: Number(usage['total_tokens']) + 1 } : usage,
      ),
  },
  'usage-prompt-zero': {
    about: 'The prompt counts as nothing.',
    breaks: ['usage.prompt-counted', 'usage.total-is-sum', 'usage.longer-prompt-costs-more', 'usage.history-counts', 'usage.system-counts', 'usage.stream-agrees-with-reply'],
    wrap: () => usages((usage) => ({ ...usage, prompt_tokens: 0 })),
  },
  'usage-prompt-constant': {
    about: 'Every prompt counts as ten tokens.',
    breaks: ['usage.longer-prompt-costs-more', 'usage.history-counts', 'usage.system-counts'],
    wrap: () => ({ countPromptTokens: () => () => 10 }),
  },
  'usage-counts-last-message-only': {
    about: 'Only the last message counts.',
    breaks: ['usage.history-counts', 'usage.system-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) => real({ ...request, messages: request.messages.slice(-1) }, call),
    }),
  },
  'usage-forgets-assistant-turns': {
    about: 'Assistant messages of the history do not count.',
    breaks: ['usage.history-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) =>
        real({ ...request, messages: request.messages.filter(({ role }) => role !== 'assistant') }, call),
    }),
  },
  'usage-forgets-system': {
    about: 'System messages do not count.',
    breaks: ['usage.system-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) =>
        real({ ...request, messages: request.messages.filter(({ role }) => role !== 'system') }, call),
    }),
  },
  'usage-prompt-capped': {
    about: 'Prompts count for twenty thousand tokens at most.',
    breaks: ['window.large-prompt-counted-whole'],
    wrap: () => ({ countPromptTokens: (real) => (request, call) => Math.min(20_000, real(request, call)) }),
  },
  'usage-prompt-drifts': {
    about: 'Each request counts a token more than the one before.',
    breaks: ['usage.same-prompt-same-count', 'usage.stream-agrees-with-reply', 'concurrency.replies-not-crossed'],
    wrap: () => {
      let more = 0
      return {
        countPromptTokens: (real) => (request, call) => {
          more += 1
          return real(request, call) + more
        },
      }
    },
  },
  'usage-completion-zero': {
    about: 'Completion tokens are 0 though there is text.',
    breaks: ['usage.completion-counted'],
    wrap: () => ({ countCompletionTokens: () => () => 0 }),
  },
  'usage-completion-doubled': {
    about: 'Completion tokens are counted twice.',
    breaks: ['max-tokens.count-within-limit', 'usage.count-agrees-with-limit'],
    wrap: () => ({ countCompletionTokens: (real) => (counted, call) => real(counted, call) * 2 }),
  },
  'usage-completion-halved': {
    about: 'Half of the completion tokens are counted.',
    breaks: ['usage.count-agrees-with-limit'],
    wrap: () => ({ countCompletionTokens: (real) => (counted, call) => Math.ceil(real(counted, call) / 2) }),
  },
  'usage-completion-doubled-below-limit': {
    about: 'Completion tokens are counted twice where the limit does not show it.',
    breaks: ['usage.count-agrees-with-limit'],
    wrap: () => ({
      countCompletionTokens: (real) => (counted, call) => {
        const honest = real(counted, call)
        return honest * 2 <= (call.body?.tokensMax ?? 0) ? honest * 2 : honest
      },
    }),
  },
  'usage-of-streams-estimated': {
    about: 'Streams estimate their prompt by characters.',
    breaks: ['usage.stream-agrees-with-reply'],
    wrap: () => ({
      usageChunk: (real) => (parts, call) =>
        real({ ...parts, promptTokens: Math.ceil(parts.promptTokens * 1.3) }, call),
    }),
  },
  'usage-of-streams-total-wrong': {
    about: 'The total in a stream leaves the prompt out.',
    breaks: ['chunk.usage'],
    wrap: () => ({
      usageChunk: (real) => (parts, call) => {
        const chunk = asJson(real(parts, call))
        return { ...chunk, usage: { ...asJson(chunk['usage']), total_tokens: parts.completionTokens } }
      },
    }),
  },
  'usage-chunk-without-choices': {
    about: 'The chunk with usage has no choices.',
    breaks: ['chunk.choices'],
    wrap: () => ({
      usageChunk: (real) => (parts, call) => {
        const { choices: _, ...chunk } = asJson(real(parts, call))
        return chunk
      },
    }),
  },
  'usage-chunk-choices-null': {
    about: 'The chunk with usage has choices of null.',
    breaks: ['chunk.choices'],
    wrap: () => ({ usageChunk: (real) => (parts, call) => ({ ...asJson(real(parts, call)), choices: null }) }),
  },
  'usage-chunk-id-empty': {
    about: 'The chunk with usage has an empty id.',
    breaks: ['chunk.id'],
    wrap: () => ({ usageChunk: (real) => (parts, call) => ({ ...asJson(real(parts, call)), id: '' }) }),
  },
} as const satisfies Record<string, Fault>

/** Faults of the model list. */
export const modelFaults = {
  'models-list-is-404': {
    about: 'There is no model list.',
    breaks: ['models.names-a-model'],
    wrap: () => ({
      listHead: (real) => (call) => ({ ...real(call), status: 404 }),
      listModels: () => () => ({ error: 'not here' }),
    }),
  },
  'models-list-empty': {
    about: 'The model list is empty.',
    breaks: ['models.names-a-model'],
    wrap: () => lists((list) => ({ ...list, data: [] })),
  },
  'models-list-bare-array': {
    about: 'The model list is a bare array.',
    breaks: ['models.object', 'models.data'],
    wrap: () => lists((list) => list['data']),
  },
  'models-under-another-name': {
    about: 'The models are in `models`.',
    breaks: ['models.data'],
    wrap: () => lists(({ data, ...list }) => ({ ...list, models: data })),
  },
  'models-object-wrong': {
    about: 'The object of the list is models.',
    breaks: ['models.object'],
    wrap: () => lists((list) => ({ ...list, object: 'models' })),
  },
  'models-id-missing-on-last': {
    about: 'The last model of the list has no id.',
    breaks: ['models.id'],
    wrap: () => listed((model, index) => (index === 2 ? { ...model, id: undefined } : model)),
  },
  'models-element-object-missing': {
    about: 'Models have no object.',
    breaks: ['models.element-object'],
    wrap: () => listed(({ object: _, ...model }) => model),
  },
  'models-owner-missing': {
    about: 'Models have no owner.',
    breaks: ['models.owned-by'],
    wrap: () => listed(({ owned_by: _, ...model }) => model),
  },
  'models-owner-missing-on-one': {
    about: 'One model has an owner of null.',
    breaks: ['models.owned-by'],
    wrap: () => listed((model, index) => (index === 1 ? { ...model, owned_by: null } : model)),
  },
  'models-pricing-missing-on-one': {
    about: 'The newest model has no price.',
    breaks: ['models.pricing', 'models.pricing-unit'],
    wrap: () => listed((model, index) => (index === 2 ? { ...model, pricing: undefined } : model)),
  },
  'models-prices-as-strings': {
    about: 'Prices are strings.',
    breaks: ['models.pricing'],
    wrap: () =>
      listed((model) => ({ ...model, pricing: { prompt: '0.10', completion: '0.10', unit: 'per_million_tokens' } })),
  },
  'models-completion-price-missing': {
    about: 'Completion prices are missing.',
    breaks: ['models.pricing'],
    wrap: () => listed((model) => ({ ...model, pricing: { prompt: 0.1, unit: 'per_million_tokens' } })),
  },
  'models-unit-missing': {
    about: 'Prices have no unit.',
    breaks: ['models.pricing-unit'],
    wrap: () => listed((model) => ({ ...model, pricing: { prompt: 0.1, completion: 0.1 } })),
  },
  'models-unit-otherwise': {
    about: 'The unit is spelt per_1m_tokens.',
    breaks: ['models.pricing-unit'],
    wrap: () => listed((model) => ({ ...model, pricing: { prompt: 0.1, completion: 0.1, unit: 'per_1m_tokens' } })),
  },
  'models-price-negative': {
    about: 'A price of -1 stands for "varies".',
    breaks: ['models.price-not-negative'],
    wrap: () =>
      listed((model, index) =>
        index === 1 ? { ...model, pricing: { prompt: -1, completion: -1, unit: 'per_million_tokens' } } : model,
      ),
  },
  'models-price-per-token': {
    about: 'Prices are a token under a unit of a million tokens.',
    breaks: ['models.price-plausible'],
    wrap: () =>
      listed((model) => ({ ...model, pricing: { prompt: 1e-7, completion: 1e-7, unit: 'per_million_tokens' } })),
  },
  'models-price-times-a-million': {
    about: 'Prices are multiplied by a million once too often.',
    breaks: ['models.price-plausible'],
    wrap: () =>
      listed((model) => ({ ...model, pricing: { prompt: 100_000, completion: 100_000, unit: 'per_million_tokens' } })),
  },
  'models-listed-twice': {
    about: 'A model that two nodes serve is listed twice.',
    breaks: ['models.ids-unique'],
    wrap: () => lists((list) => ({ ...list, data: [list['data'], list['data']].flat() })),
  },
  'models-unserved-listed': {
    about: 'A model without nodes is listed.',
    breaks: ['models.unavailable-not-listed'],
    wrap: () =>
      lists((list) => ({
        ...list,
        data: [
          list['data'],
          {
            id: 'dormant',
            object: 'model',
            owned_by: 'assay',
            pricing: { prompt: 0.1, completion: 0.1, unit: 'per_million_tokens' },
          },
        ].flat(),
      })),
  },
  'models-placeholder-listed': {
    about: 'A made-up model is listed.',
    breaks: [
      'reply.model-each',
      'stream.model-each',
      'temperature.in-range-accepted-each-model',
      'top-p.in-range-accepted-each-model',
      'max-tokens.limits-each-model',
      'stop.ends-text-each-model',
    ],
    wrap: () =>
      lists((list) => ({
        ...list,
        data: [
          list['data'],
          {
            id: 'default',
            object: 'model',
            owned_by: 'assay',
            pricing: { prompt: 0.9, completion: 0.9, unit: 'per_million_tokens' },
          },
        ].flat(),
      })),
  },
  'models-as-text': {
    about: 'The list is labelled as text.',
    breaks: ['models.content-type'],
    wrap: () => ({ listHead: () => () => ({ status: 200, headers: { 'content-type': 'text/plain' } }) }),
  },
  'models-fail-in-parallel': {
    about: 'Two requests for the list at once fail the second.',
    breaks: ['models.stable', 'models.owned-by', 'models.pricing', 'models.price-not-negative', 'models.price-plausible', 'version.routes-under-prefix'],
    wrap: () => {
      let busy = 0
      return {
        serve: (real) => async (call) => {
          if (!call.request.url?.endsWith('/models')) return real(call)
          busy += 1
          if (busy > 2) call.response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{}}')
          else {
            await new Promise((done) => setTimeout(done, 8))
            await real(call)
          }
          busy -= 1
        },
      }
    },
  },
  'chunk-index-counts-in-streams-of-one-model': {
    about: 'One model numbers the chunks of a stream as choices.',
    breaks: ['chunk.index'],
    wrap: () => ({
      chunk: (real) => (parts, call) => {
        const chunk = asJson(real(parts, call))
        return parts.model === 'large' && isStream(call)
          ? {
              ...chunk,
              choices: [
                { ...asJson(Array.isArray(chunk['choices']) ? chunk['choices'][0] : {}), index: parts.position },
              ],
            }
          : chunk
      },
    }),
  },
} as const satisfies Record<string, Fault>
