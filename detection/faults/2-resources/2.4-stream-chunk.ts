import { asJson } from '../../wraps/json.ts'
import { changingStreamFragments, chunkChoices, chunks, isLastChunk, isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.4-stream-chunk.ts` must notice. */
export const streamChunkFaults = {
  'chunk-id-missing': {
    about: 'Chunks have no id.',
    breaks: ['chunk.id'],
    wrap: () => chunks(({ id: _, ...chunk }) => chunk),
  },
  'chunk-id-empty-on-last': {
    about: 'The last chunk has an empty id.',
    breaks: ['chunk.id'],
    wrap: () => chunks((chunk, parts) => (isLastChunk(parts) ? { ...chunk, id: '' } : chunk)),
  },
  'chunk-id-empty-on-first': {
    about: 'The first chunk has an empty id.',
    breaks: ['chunk.id'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? { ...chunk, id: '' } : chunk)),
  },
  'chunk-id-new-on-each': {
    about: 'Every chunk has a different id.',
    breaks: ['chunk.id-constant'],
    wrap: () => chunks((chunk, { id, position }) => ({ ...chunk, id: `${id}.${position}` })),
  },
  'chunk-id-changes-on-last': {
    about: 'The last chunk has a different id.',
    breaks: ['chunk.id-constant'],
    wrap: () => chunks((chunk, parts) => (isLastChunk(parts) ? { ...chunk, id: `${parts.id}-end` } : chunk)),
  },
  'chunk-id-changes-late': {
    about: 'The id of a stream changes after the fiftieth chunk.',
    breaks: ['chunk.id-constant'],
    wrap: () => chunks((chunk, { id, position }) => (position > 50 ? { ...chunk, id: `${id}-2` } : chunk)),
  },
  'chunk-choices-null-on-last': {
    about: 'The last chunk has choices of null.',
    breaks: ['chunk.choices', 'chunk.finish-reason-once'],
    wrap: () => chunks((chunk, parts) => (isLastChunk(parts) ? { ...chunk, choices: null } : chunk)),
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
    about: 'The index of the choice is the number of the chunk.',
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
    wrap: () => chunkChoices((choice, parts) => (isLastChunk(parts) ? { ...choice, delta: null } : choice)),
  },
  'chunk-delta-missing-on-last': {
    about: 'The last chunk has no delta.',
    breaks: ['chunk.delta'],
    wrap: () =>
      chunkChoices((choice, parts) => {
        const { delta: _, ...rest } = choice
        return isLastChunk(parts) ? rest : choice
      }),
  },
  'chunk-content-is-number': {
    about: 'A fragment that looks like a number is sent as a number.',
    breaks: ['chunk.content', 'stream.equals-reply', 'stream.equals-reply-unicode'],
    wrap: () =>
      chunkChoices((choice, { position }) => (position === 3 ? { ...choice, delta: { content: 7 } } : choice)),
  },
  'chunk-content-in-parts-at-start': {
    about: 'The content of the first delta is a list.',
    breaks: ['chunk.content'],
    wrap: () =>
      chunkChoices((choice, { position }) =>
        position === 0 ? { ...choice, delta: { role: 'assistant', content: [] } } : choice,
      ),
  },
  'chunk-last-carries-message': {
    about: 'The last chunk carries a whole message.',
    breaks: ['chunk.no-message'],
    wrap: () =>
      chunkChoices((choice, parts) =>
        isLastChunk(parts) ? { ...choice, message: { role: 'assistant', content: 'all of it' } } : choice,
      ),
  },
  'chunk-is-a-string': {
    about: 'The first chunk is a JSON string.',
    breaks: ['chunk.is-json'],
    wrap: () => chunks((chunk, { position }) => (position === 0 ? 'start' : chunk)),
  },
  'chunk-json-broken': {
    about: 'The fourth chunk lacks its closing brace.',
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
    about: 'A keep-alive is sent as a data event.',
    breaks: ['chunk.is-json'],
    wrap: () => ({ doneFrame: (real) => (call) => `data: : ping\n\n${real(call)}` }),
  },
  'chunk-index-counts-in-streams-of-one-model': {
    about: 'For one model, the index of the choice is the number of the chunk.',
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
  'text-half-characters': {
    about: 'Fragments are cut inside surrogate pairs.',
    breaks: ['chunk.text-well-formed', 'billing.stream-charged'],
    wrap: () =>
      changingStreamFragments((text) =>
        /[\ud800-\udbff][\udc00-\udfff]/.test(text)
          ? [...Array(text.length).keys()].map((at) => text.charAt(at))
          : [text],
      ),
  },
} as const satisfies Record<string, Fault>
