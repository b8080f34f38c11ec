import type { Content, Dialect, Json, Problem } from './dialect.ts'
import { randomLetters } from './random-letters.ts'

/**
 * ggml-org/llama.cpp: `tools/server/server-task.cpp` (`to_json_oaicompat_chat`, `to_json_oaicompat_chat_stream`),
 * `tools/server/server-common.cpp` (`format_error_response`, `gen_chatcmplid`), `tools/server/server-context.cpp` (an error
 * ends a stream; `:` every 30 seconds while a prompt is read).
 */
export const llamaCpp: Dialect = {
  newId: () => `chatcmpl-${randomLetters(32)}`,
  reply: (content) => ({
    choices: [
      {
        finish_reason: content.finishReason,
        index: 0,
        message: { role: 'assistant', content: content.fragments.join('') },
      },
    ],
    created: content.createdS,
    model: content.model,
    system_fingerprint: build,
    object: 'chat.completion',
    usage: content.usage,
    id: content.id,
    timings: timings(content),
  }),
  chunks: (content, hasUsage) => ({
    role: chunk(content, { role: 'assistant', content: null }, null),
    text: (fragment) => chunk(content, { content: fragment }, null),
    finish: (finishReason) => ({
      ...chunk(content, {}, finishReason),
      ...(!hasUsage && { timings: timings(content) }),
    }),
    usage: { ...chunk(content, {}, null), choices: [], timings: timings(content) },
  }),
  usage: (promptTokens, completionTokens) => ({
    completion_tokens: completionTokens,
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
  }),
  error: ({ status, message }) => ({
    error: { code: status, message, type: types[status] ?? 'server_error' },
  }),
  isDoneAfterError: false,
  models: (ids, createdS) => ({
    object: 'list',
    data: ids.map((id) => ({
      id,
      object: 'model',
      created: createdS,
      owned_by: 'llamacpp',
      meta: { vocab_type: 2, n_vocab: 128_256, n_ctx_train: 131_072, n_embd: 4096 },
    })),
  }),
  headers: (kind) => ({
    server: 'llama.cpp',
    'content-type': kind === 'json' ? 'application/json; charset=utf-8' : 'text/event-stream',
  }),
  keepAlive: { text: '', everyMs: 30_000 },
}

const build = 'b9864-53390bde'

const types: Readonly<Record<Problem['status'], string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  501: 'not_supported_error',
  503: 'unavailable_error',
}

function chunk({ id, createdS, model }: Content, delta: Json, finishReason: string | null): Json {
  return {
    choices: [{ finish_reason: finishReason, index: 0, delta }],
    created: createdS,
    id,
    model,
    system_fingerprint: build,
    object: 'chat.completion.chunk',
  }
}

/** A machine that reads 400 and writes 40 tokens a second. */
function timings({ fragments }: Content): Json {
  const predicted = fragments.length
  return {
    cache_n: 0,
    prompt_n: 12,
    prompt_ms: 30,
    prompt_per_token_ms: 2.5,
    prompt_per_second: 400,
    predicted_n: predicted,
    predicted_ms: predicted * 25,
    predicted_per_token_ms: 25,
    predicted_per_second: 40,
  }
}
