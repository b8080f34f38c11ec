import { asJson } from '../../wraps/json.ts'
import { replies } from '../../wraps/reply.ts'
import { chunkChoices, chunks, isLastChunk, slowStreamsFrom } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.4-optional-fields.ts` must notice. */
export const optionalFieldsFaults = {
  'chunk-ids-repeat': {
    about: 'Every stream has the same id.',
    breaks: ['chunk.ids-unique', 'chunk.id-constant'],
    follows: ['completion.ids-unique-at-zero'],
    wrap: () => chunks((chunk) => ({ ...chunk, id: 'chatcmpl-stream' })),
  },
  'chunk-object-wrong': {
    about: 'The object of chunks is `chat.completion`.',
    breaks: ['chunk.object'],
    wrap: () => chunks((chunk) => ({ ...chunk, object: 'chat.completion' })),
  },
  'chunk-object-empty-on-first': {
    about: 'The first chunk has an empty object.',
    breaks: ['chunk.object'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? { ...chunk, object: '' } : chunk)),
  },
  'chunk-created-in-ms': {
    about: 'The created time of chunks is in milliseconds.',
    breaks: ['chunk.created'],
    wrap: () => ({
      ...chunks((chunk, { created }) => ({ ...chunk, created: created * 1000 })),
      usageChunk: (real) => (parts, call) => ({ ...asJson(real(parts, call)), created: parts.created * 1000 }),
    }),
  },
  'chunk-created-zero-on-first': {
    about: 'The first chunk has a created time of 0.',
    breaks: ['chunk.created', 'chunk.created-constant'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? { ...chunk, created: 0 } : chunk)),
  },
  'chunk-created-drifts': {
    about: 'The created time is taken anew for every chunk.',
    breaks: ['chunk.created-constant'],
    wrap: () => chunks((chunk, { created, position }) => ({ ...chunk, created: created + (position > 20 ? 1 : 0) })),
  },
  'chunk-created-is-now': {
    about:
      'The clock is read for every chunk, as several servers do: it shows only in a stream that a second begins in.',
    breaks: ['chunk.created-constant'],
    wrap: () => ({
      ...slowStreamsFrom(256),
      ...chunks((chunk) => ({ ...chunk, created: Math.floor(Date.now() / 1000) })),
    }),
  },
  'chunk-model-of-backend': {
    about: "Chunks name the model by its node's name for it.",
    breaks: ['chunk.model'],
    wrap: () => chunks((chunk, { model }) => ({ ...chunk, model: `/models/${model}.bin` })),
  },
  'chunk-model-empty-on-first': {
    about: 'The first chunk has an empty model.',
    breaks: ['chunk.model'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? { ...chunk, model: '' } : chunk)),
  },
  'chunk-role-null': {
    about: 'Deltas after the first have a role of null.',
    breaks: ['chunk.role'],
    wrap: () =>
      chunkChoices((choice, { position }) =>
        position === 0 ? choice : { ...choice, delta: { ...asJson(choice['delta']), role: null } },
      ),
  },
  'chunk-role-user': {
    about: 'The first delta has the role `user`.',
    breaks: ['chunk.role'],
    wrap: () =>
      chunkChoices((choice, { position }) =>
        position === 0 ? { ...choice, delta: { role: 'user', content: '' } } : choice,
      ),
  },
  'chunk-finish-reason-never': {
    about: 'The finish_reason of a stream stays null to the end.',
    breaks: ['chunk.finish-reason-once'],
    wrap: () => chunkChoices((choice) => ({ ...choice, finish_reason: null })),
  },
  'chunk-finish-reason-on-each': {
    about: 'Every chunk has a finish_reason of `stop`.',
    breaks: ['chunk.finish-reason-once', 'chunk.nothing-after-finish', 'max-tokens.finish-reason-streaming'],
    wrap: () => chunkChoices((choice) => ({ ...choice, finish_reason: 'stop' })),
  },
  'chunk-finish-reason-twice': {
    about: 'The chunk with the finish_reason is sent twice.',
    breaks: ['chunk.finish-reason-once'],
    wrap: () => ({
      frame: (real) => (data, call) =>
        /"finish_reason":"\w+"/.test(data) ? real(data, call).repeat(2) : real(data, call),
    }),
  },
  'chunk-finish-reason-empty': {
    about: 'Chunks before the last have an empty finish_reason.',
    breaks: ['chunk.finish-reason-text', 'chunk.finish-reason-once', 'chunk.nothing-after-finish'],
    wrap: () => chunkChoices((choice, parts) => (isLastChunk(parts) ? choice : { ...choice, finish_reason: '' })),
  },
  'chunk-finish-reason-number': {
    about: 'The finish_reason of a stream is a number.',
    breaks: ['chunk.finish-reason-text'],
    wrap: () => chunkChoices((choice, parts) => (isLastChunk(parts) ? { ...choice, finish_reason: 1 } : choice)),
  },
  'chunk-finish-reason-early': {
    about: 'The finish_reason comes before the last fragments.',
    follows: ['chunk.finish-reason-once'],
    breaks: ['chunk.nothing-after-finish', 'max-tokens.finish-reason-streaming'],
    wrap: () =>
      chunkChoices((choice, parts) =>
        isLastChunk(parts)
          ? { ...choice, finish_reason: null }
          : parts.position === 1
            ? { ...choice, finish_reason: 'stop' }
            : choice,
      ),
  },
  'chunk-error-null': {
    about: 'Healthy chunks carry an error of null.',
    breaks: ['chunk.no-error-key'],
    wrap: () => chunks((chunk) => ({ ...chunk, error: null })),
  },
  'chunk-usage-incomplete': {
    about: 'Chunks carry a usage of zeros without a total.',
    breaks: ['chunk.usage'],
    wrap: () => chunks((chunk) => ({ ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0 } })),
  },
  'cold-replies-kept': {
    about: 'At temperature 0 a repeated request gets the first reply again, with its id.',
    breaks: ['completion.ids-unique-at-zero'],
    follows: ['completion.ids-unique', 'billing.stream-as-reply'],
    wrap: () => {
      const kept = new Map<string, unknown>()
      return replies((reply, _, { body }) => {
        if (body?.temperature !== 0) return reply
        const request = JSON.stringify(body)
        kept.set(request, kept.get(request) ?? reply)
        return kept.get(request)
      })
    },
  },
  'cold-streams-kept': {
    about: 'At temperature 0 a repeated request gets a stream with the id of the first one.',
    breaks: ['completion.ids-unique-at-zero'],
    follows: ['chunk.ids-unique'],
    wrap: () => {
      const kept = new Map<string, unknown>()
      return chunks((chunk, _, { body }) => {
        if (body?.temperature !== 0) return chunk
        const request = JSON.stringify(body)
        kept.set(request, kept.get(request) ?? chunk['id'])
        return { ...chunk, id: kept.get(request) }
      })
    },
  },
  'usage-of-streams-total-wrong': {
    about: 'The total token count of a stream leaves out the prompt.',
    breaks: ['chunk.usage'],
    wrap: () => ({
      usageChunk: (real) => (parts, call) => {
        const chunk = asJson(real(parts, call))
        return { ...chunk, usage: { ...asJson(chunk['usage']), total_tokens: parts.completionTokens } }
      },
    }),
  },
} as const satisfies Record<string, Fault>
