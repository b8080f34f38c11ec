import type { Fault } from './fault.ts'
import { asJson, chunkChoices, chunks } from './tools.ts'

const isLast = ({ finishReason }: { readonly finishReason?: unknown }): boolean => finishReason !== undefined

/** Faults in the fields of chunks. */
export const chunkFaults = {
  'chunk-id-missing': {
    about: 'Chunks have no id.',
    breaks: ['chunk.id'],
    wrap: () => chunks(({ id: _, ...chunk }) => chunk),
  },
  'chunk-id-empty-on-last': {
    about: 'The last chunk has an empty id.',
    breaks: ['chunk.id'],
    wrap: () => chunks((chunk, parts) => (isLast(parts) ? { ...chunk, id: '' } : chunk)),
  },
  'chunk-id-empty-on-first': {
    about: 'The first chunk has an empty id.',
    breaks: ['chunk.id'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? { ...chunk, id: '' } : chunk)),
  },
  'chunk-id-new-on-each': {
    about: 'Every chunk has an id of its own.',
    breaks: ['chunk.id-constant'],
    wrap: () => chunks((chunk, { id, position }) => ({ ...chunk, id: `${id}.${position}` })),
  },
  'chunk-id-changes-on-last': {
    about: 'The last chunk has another id.',
    breaks: ['chunk.id-constant'],
    wrap: () => chunks((chunk, parts) => (isLast(parts) ? { ...chunk, id: `${parts.id}-end` } : chunk)),
  },
  'chunk-id-changes-late': {
    about: 'The id changes behind the fiftieth chunk.',
    breaks: ['chunk.id-constant'],
    wrap: () => chunks((chunk, { id, position }) => (position > 50 ? { ...chunk, id: `${id}-2` } : chunk)),
  },
  'chunk-ids-repeat': {
    about: 'Every stream has the same id.',
    breaks: ['chunk.ids-unique', 'chunk.id-constant'],
    follows: ['completion.ids-unique-at-zero'],
    wrap: () => chunks((chunk) => ({ ...chunk, id: 'chatcmpl-stream' })),
  },
  'chunk-choices-null-on-last': {
    about: 'The last chunk has choices of null.',
    breaks: ['chunk.choices', 'chunk.finish-reason-once'],
    wrap: () => chunks((chunk, parts) => (isLast(parts) ? { ...chunk, choices: null } : chunk)),
  },
  'chunk-choices-missing-on-first': {
    about: 'The first chunk has no choices.',
    breaks: ['chunk.choices'],
    wrap: () =>
      chunks((chunk, { position }) => {
        const { choices: _, ...rest } = chunk
        return position === 0 ? rest : chunk
      }),
  },
  'chunk-index-counts': {
    about: 'The index of a choice is the number of the chunk.',
    breaks: ['chunk.index'],
    wrap: () => chunkChoices((choice, { position }) => ({ ...choice, index: position })),
  },
  'chunk-index-missing': {
    about: 'Choices of chunks have no index.',
    breaks: ['chunk.index'],
    wrap: () => chunkChoices(({ index: _, ...choice }) => choice),
  },
  'chunk-delta-null-on-last': {
    about: 'The last chunk has a delta of null.',
    breaks: ['chunk.delta'],
    wrap: () => chunkChoices((choice, parts) => (isLast(parts) ? { ...choice, delta: null } : choice)),
  },
  'chunk-delta-missing-on-last': {
    about: 'The last chunk has no delta.',
    breaks: ['chunk.delta'],
    wrap: () =>
      chunkChoices((choice, parts) => {
        const { delta: _, ...rest } = choice
        return isLast(parts) ? rest : choice
      }),
  },
  'chunk-content-is-number': {
    about: 'A fragment that looks like a number is one.',
    breaks: ['chunk.content', 'stream.equals-reply', 'stream.equals-reply-unicode'],
    wrap: () =>
      chunkChoices((choice, { position }) => (position === 3 ? { ...choice, delta: { content: 7 } } : choice)),
  },
  'chunk-content-in-parts-at-start': {
    about: 'The first delta has its content as a list.',
    breaks: ['chunk.content'],
    wrap: () =>
      chunkChoices((choice, { position }) =>
        position === 0 ? { ...choice, delta: { role: 'assistant', content: [] } } : choice,
      ),
  },
  'chunk-last-carries-message': {
    about: 'The last chunk carries a message.',
    breaks: ['chunk.no-message'],
    wrap: () =>
      chunkChoices((choice, parts) =>
        isLast(parts) ? { ...choice, message: { role: 'assistant', content: 'all of it' } } : choice,
      ),
  },
  'chunk-object-wrong': {
    about: 'Chunks call themselves completions.',
    breaks: ['chunk.object'],
    wrap: () => chunks((chunk) => ({ ...chunk, object: 'chat.completion' })),
  },
  'chunk-object-empty-on-first': {
    about: 'The first chunk has an empty object.',
    breaks: ['chunk.object'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? { ...chunk, object: '' } : chunk)),
  },
  'chunk-created-in-ms': {
    about: 'created of chunks is in milliseconds.',
    breaks: ['chunk.created'],
    wrap: () => ({
      ...chunks((chunk, { created }) => ({ ...chunk, created: created * 1000 })),
      usageChunk: (real) => (parts, call) => ({ ...asJson(real(parts, call)), created: parts.created * 1000 }),
    }),
  },
  'chunk-created-zero-on-first': {
    about: 'The first chunk has created of 0.',
    breaks: ['chunk.created', 'chunk.created-constant'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? { ...chunk, created: 0 } : chunk)),
  },
  'chunk-created-drifts': {
    about: 'created is taken anew for every chunk.',
    breaks: ['chunk.created-constant'],
    wrap: () => chunks((chunk, { created, position }) => ({ ...chunk, created: created + (position > 20 ? 1 : 0) })),
  },
  'chunk-model-of-backend': {
    about: 'Chunks name the model as its node does.',
    breaks: ['chunk.model'],
    wrap: () => chunks((chunk, { model }) => ({ ...chunk, model: `/models/${model}.bin` })),
  },
  'chunk-model-empty-on-first': {
    about: 'The first chunk has an empty model.',
    breaks: ['chunk.model'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? { ...chunk, model: '' } : chunk)),
  },
  'chunk-role-null': {
    about: 'Deltas behind the first have a role of null.',
    breaks: ['chunk.role'],
    wrap: () =>
      chunkChoices((choice, { position }) =>
        position === 0 ? choice : { ...choice, delta: { ...asJson(choice['delta']), role: null } },
      ),
  },
  'chunk-role-user': {
    about: 'The first delta has the role user.',
    breaks: ['chunk.role'],
    wrap: () =>
      chunkChoices((choice, { position }) =>
        position === 0 ? { ...choice, delta: { role: 'user', content: '' } } : choice,
      ),
  },
  'chunk-finish-reason-never': {
    about: 'finish_reason stays null.',
    breaks: ['chunk.finish-reason-once'],
    wrap: () => chunkChoices((choice) => ({ ...choice, finish_reason: null })),
  },
  'chunk-finish-reason-on-each': {
    about: 'Every chunk has a finish reason.',
    breaks: ['chunk.finish-reason-once', 'chunk.nothing-after-finish', 'max-tokens.finish-reason-streaming'],
    wrap: () => chunkChoices((choice) => ({ ...choice, finish_reason: 'stop' })),
  },
  'chunk-finish-reason-twice': {
    about: 'The reason is sent with the last fragment and again behind it.',
    breaks: ['chunk.finish-reason-once'],
    wrap: () => ({
      frame: (real) => (data, call) =>
        /"finish_reason":"\w+"/.test(data) ? real(data, call).repeat(2) : real(data, call),
    }),
  },
  'chunk-finish-reason-empty': {
    about: 'finish_reason of interim chunks is empty.',
    breaks: ['chunk.finish-reason-text', 'chunk.finish-reason-once', 'chunk.nothing-after-finish'],
    wrap: () => chunkChoices((choice, parts) => (isLast(parts) ? choice : { ...choice, finish_reason: '' })),
  },
  'chunk-finish-reason-number': {
    about: 'finish_reason is a number.',
    breaks: ['chunk.finish-reason-text'],
    wrap: () => chunkChoices((choice, parts) => (isLast(parts) ? { ...choice, finish_reason: 1 } : choice)),
  },
  'chunk-finish-reason-early': {
    about: 'The reason comes in front of the last fragments.',
    follows: ['chunk.finish-reason-once'],
    breaks: ['chunk.nothing-after-finish', 'max-tokens.finish-reason-streaming'],
    wrap: () =>
      chunkChoices((choice, parts) =>
        isLast(parts)
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
    about: 'Interim chunks carry a usage of zeroes without a total.',
    breaks: ['chunk.usage'],
    wrap: () => chunks((chunk) => ({ ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0 } })),
  },
  'chunk-is-a-string': {
    about: 'The first chunk is a JSON string.',
    breaks: ['chunk.is-json'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? 'start' : chunk)),
  },
  'chunk-json-broken': {
    about: 'The fourth chunk lacks its last brace.',
    breaks: ['chunk.is-json', 'stream.equals-reply', 'stream.equals-reply-unicode'],
    wrap: () => ({
      encode: (real) => (value, call) => {
        const text = real(value, call)
        const choice = asJson(asJson(value)['choices'])['0']
        return asJson(value)['object'] === 'chat.completion.chunk' &&
          asJson(asJson(choice)['delta'])['content'] === ' wrote'
          ? text.slice(0, -1)
          : text
      },
    }),
  },
  'chunk-pings-as-data': {
    about: 'A keep-alive is sent as data.',
    breaks: ['chunk.is-json'],
    wrap: () => ({ doneFrame: (real) => (call) => `data: : ping\n\n${real(call)}` }),
  },
} as const satisfies Record<string, Fault>
