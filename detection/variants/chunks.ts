import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { asJson, type Json } from '../wraps/json.ts'
import { beforeFirstFrame, chunkChoices, chunks } from '../wraps/stream.ts'
import { eachFragment } from '../wraps/words.ts'
import type { Variant } from './variant.ts'

/** Legal gateways whose chunks are unusual. */
export const chunksVariants = {
  'empty-chunks-as-keep-alive': {
    reported: true,
    about: 'Chunks with an empty fragment come between the others; an empty string is a fragment.',
    wrap: () =>
      sendingBeforeText((chunk) => ({
        ...chunk,
        choices: [{ index: 0, delta: { content: '' }, finish_reason: null }],
      })),
  },
  'empty-deltas-as-keep-alive': {
    about: 'Chunks with an empty delta come between the others; a delta need not carry text.',
    wrap: () => sendingBeforeText((chunk) => ({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: null }] })),
  },
  'role-only-first-delta': {
    reported: true,
    about: 'The first delta has a role and no content; a delta need not carry text.',
    group: 'role',
    wrap: () => changingDeltas((delta, position) => (position === 0 ? { role: 'assistant' } : delta)),
  },
  'first-delta-content-null': {
    reported: true,
    about: 'The first delta has a role and content null; a first delta without text is common.',
    group: 'role',
    wrap: () => changingDeltas((delta, position) => (position === 0 ? { role: 'assistant', content: null } : delta)),
  },
  'role-on-every-chunk': {
    reported: true,
    about: 'Every delta names the role; the contract shows no role in chunks, so it is an extra field.',
    group: 'role',
    wrap: () => changingDeltas((delta) => ({ role: 'assistant', ...delta })),
  },
  'no-role-in-streams': {
    about: 'No delta names a role; the contract shows none in chunks.',
    group: 'role',
    wrap: () => changingDeltas((delta) => without('role', delta)),
  },
  'final-delta-content-empty': {
    reported: true,
    about: 'The last delta has an empty fragment next to the finish reason; an empty string is a fragment.',
    group: 'final-delta',
    wrap: () => chunkChoices((choice, parts) => (parts.finishReason ? { ...choice, delta: { content: '' } } : choice)),
  },
  'final-delta-content-null': {
    about: 'The last delta has content null next to the finish reason; a delta need not carry text.',
    group: 'final-delta',
    wrap: () =>
      chunkChoices((choice, parts) => (parts.finishReason ? { ...choice, delta: { content: null } } : choice)),
  },
  'text-with-finish-reason': {
    reported: true,
    about: 'The last fragment and the finish reason share one chunk; nothing forbids it.',
    group: 'final-delta',
    wrap: () => {
      const held = new WeakMap<Call, string>()
      return {
        chunk: (real) => (parts, call) => {
          const text = held.get(call) ?? ''
          if (parts.role !== undefined) return real(parts, call)
          if (parts.text !== undefined) held.set(call, parts.text)
          return real({ ...parts, text }, call)
        },
      }
    },
  },
  'finish-key-only-at-the-end': {
    reported: true,
    about: 'Only the last chunk has a finish_reason; the contract shows none in chunks.',
    group: 'finish-key',
    wrap: () => chunkChoices((choice, parts) => (parts.finishReason ? choice : without('finish_reason', choice))),
  },
  'finish-reason-on-keep-alives-alone': {
    about:
      'Chunks with an empty delta come between the others, and only they have a finish_reason, which is null; the contract shows none in chunks.',
    group: 'finish-key',
    wrap: () => ({
      ...chunkChoices((choice) => without('finish_reason', choice)),
      ...sendingBeforeText((chunk) => ({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: null }] })),
    }),
  },
  'no-finish-reason-in-streams': {
    about: 'No chunk has a finish_reason; the contract shows none in chunks.',
    group: 'finish-key',
    wrap: () => chunkChoices((choice) => without('finish_reason', choice)),
  },
  'chunks-bare': {
    about: 'Chunks have only id and choices, which is all that the contract shows of them.',
    group: 'chunk-fields',
    wrap: () => chunks(({ id, choices }) => ({ id, choices })),
  },
  'chunks-with-vendor-fields': {
    reported: true,
    about: 'Chunks carry a service tier, a fingerprint, logprobs and the matched stop; extra fields are welcome.',
    wrap: () =>
      addingToChunks(
        { service_tier: 'default', system_fingerprint: 'fp_1' },
        { logprobs: null, matched_stop: null },
        {},
      ),
  },
  'chunks-with-obfuscation': {
    reported: true,
    about: 'Chunks carry random padding against traffic analysis; extra fields are welcome.',
    wrap: () => chunks((chunk, { position }) => ({ ...chunk, obfuscation: 'aN4x'.repeat(1 + (position % 4)) })),
  },
  'chunks-with-nulls-in-delta': {
    reported: true,
    about: 'Deltas carry tool calls, a function call and a refusal, all null; extra fields are welcome.',
    wrap: () => addingToChunks({}, {}, { tool_calls: null, function_call: null, refusal: null }),
  },
  'reasoning-deltas-first': {
    reported: true,
    about: 'Deltas with reasoning and no content come before the text; reasoning is an extra field.',
    wrap: () =>
      beforeFirstFrame((chunk, frame) =>
        ['The user', ' wants', ' something.']
          .map((text) => ({ role: 'assistant', content: null, reasoning_content: text, reasoning: text }))
          // Everything else is as in the other chunks, whatever fields they have.
          .map((delta) => frame({ ...asJson(chunk), choices: [{ ...asJson(choiceIn(chunk)), delta }] }))
          .join(''),
      ),
  },
  'first-chunk-without-choices': {
    reported: true,
    about: 'The first chunk has filter results and no choices in its list; it still carries the id of the reply.',
    wrap: () =>
      beforeFirstFrame((chunk, frame) =>
        frame({ ...asJson(chunk), choices: [], prompt_filter_results: [{ prompt_index: 0, results: {} }] }),
      ),
  },
  'usage-null-on-chunks': {
    reported: true,
    about: 'Ordinary chunks carry a usage of null; extra fields are welcome.',
    group: 'stream-usage',
    wrap: () => chunks((chunk) => ({ ...chunk, usage: null })),
  },
  'usage-on-every-chunk': {
    about: 'Every chunk carries the running token counts; the contract shows no usage in streams.',
    group: 'stream-usage',
    isOutermost: true,
    wrap: runningUsage,
  },
  'usage-chunk-unasked': {
    reported: true,
    about: 'Every stream ends with a chunk of usage and no choices, asked for or not; streams may say more.',
    group: 'stream-usage',
    wrap: () => ({ validate: (real) => (value, call) => ({ ...real(value, call), includeUsage: true }) }),
  },
  'usage-never-streamed': {
    about: 'include_usage has no effect, like every field that the contract does not name.',
    group: 'stream-usage',
    wrap: () => ({ validate: (real) => (value, call) => ({ ...real(value, call), includeUsage: false }) }),
  },
} as const satisfies Record<string, Variant>

/** Shows with each chunk what the request has used so far, and with the last one what is charged. */
function runningUsage(): Wrap {
  const used = new WeakMap<Call, { promptTokens: number; completionTokens: number }>()
  return {
    job: (real) => (request, model, promptTokens, call) => {
      used.set(call, { promptTokens, completionTokens: 0 })
      return real(request, model, promptTokens, call)
    },
    generate: (real) => (node, job, signal, call) =>
      eachFragment(real(node, job, signal, call), (fragment) => {
        const counts = used.get(call)
        if (counts !== undefined) counts.completionTokens += fragment.tokens
        return [fragment]
      }),
    countCompletionTokens: (real) => (counted, call) => {
      const completionTokens = real(counted, call)
      const counts = used.get(call)
      if (counts !== undefined) counts.completionTokens = completionTokens
      return completionTokens
    },
    ...chunks((chunk, _, call) => {
      const { promptTokens = 0, completionTokens = 0 } = used.get(call) ?? {}
      return {
        ...chunk,
        usage: {
          prompt_tokens: promptTokens,
          completion_tokens: completionTokens,
          total_tokens: promptTokens + completionTokens,
        },
      }
    }),
  }
}

/** Changes the delta of every chunk. */
function changingDeltas(change: (delta: Json, position: number) => Json): Wrap {
  return chunkChoices((choice, { position }) => ({ ...choice, delta: change(asJson(choice['delta']), position) }))
}

/** Adds fields to each chunk, to its choice and to its delta. */
function addingToChunks(ofChunk: Json, ofChoice: Json, ofDelta: Json): Wrap {
  return {
    chunk: (real) => (parts, call) => {
      const chunk = asJson(real(parts, call))
      const choices = (Array.isArray(chunk['choices']) ? chunk['choices'] : []).map((choice: unknown) => {
        const { delta, ...rest } = asJson(choice)
        return { ...rest, ...ofChoice, delta: { ...asJson(delta), ...ofDelta } }
      })
      return { ...chunk, ...ofChunk, choices }
    },
  }
}

/** Sends, before each chunk with text, another one made from it. */
function sendingBeforeText(made: (chunk: Json) => Json): Wrap {
  return {
    frame: (real) => (data, call) => {
      const chunk: unknown = JSON.parse(data)
      const [choice] = Array.isArray(asJson(chunk)['choices']) ? (asJson(chunk)['choices'] as readonly unknown[]) : []
      const isText = typeof asJson(asJson(choice)['delta'])['content'] === 'string'
      const isFirst = asJson(asJson(choice)['delta'])['role'] !== undefined
      const isLast = typeof asJson(choice)['finish_reason'] === 'string'
      const frame = real(data, call)
      return isText && !isFirst && !isLast ? real(JSON.stringify(made(asJson(chunk))), call) + frame : frame
    },
  }
}

function choiceIn(chunk: unknown): unknown {
  const { choices } = asJson(chunk)
  return Array.isArray(choices) ? choices[0] : undefined
}

function without(name: string, { [name]: _, ...rest }: Json): Json {
  return rest
}
