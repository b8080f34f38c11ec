import { randomUUID } from 'node:crypto'
import type { Content, Dialect, Json } from './dialect.ts'
import { randomLetters } from './random-letters.ts'

/** openai/openai-openapi: `openapi.yaml` (`CreateChatCompletionResponse`, `CreateChatCompletionStreamResponse`, `Error`). */
export const openai: Dialect = {
  newId: () => `chatcmpl-${randomLetters(29)}`,
  reply: ({ fragments, finishReason, usage, model, id, createdS }) => ({
    id,
    object: 'chat.completion',
    created: createdS,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: fragments.join(''), refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage,
    service_tier: 'default',
    system_fingerprint: fingerprint,
  }),
  chunks: (content, hasUsage) => ({
    role: chunk(content, hasUsage, { role: 'assistant', content: '', refusal: null }, null),
    text: (fragment) => chunk(content, hasUsage, { content: fragment }, null),
    finish: (finishReason) => chunk(content, hasUsage, {}, finishReason),
    usage: { ...chunk(content, hasUsage, {}, null), choices: [] },
  }),
  usage: (promptTokens, completionTokens) => ({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }),
  error: ({ message, type, code, param = null }) => ({ error: { message, type, param, code } }),
  isDoneAfterError: false,
  models: (ids, createdS) => ({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', created: createdS, owned_by: 'system' })),
  }),
  headers: (kind) => ({
    'content-type': kind === 'json' ? 'application/json' : 'text/event-stream; charset=utf-8',
    'openai-processing-ms': '12',
    'openai-version': '2020-10-01',
    'x-request-id': `req_${randomUUID().replaceAll('-', '')}`,
  }),
}

const fingerprint = 'fp_fc9f1d7035'

/** With usage asked for, every chunk but the last has it as null. Random letters hide how long a fragment is. */
function chunk({ id, createdS, model }: Content, hasUsage: boolean, delta: Json, finishReason: string | null): Json {
  return {
    id,
    object: 'chat.completion.chunk',
    created: createdS,
    model,
    service_tier: 'default',
    system_fingerprint: fingerprint,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(hasUsage && { usage: null }),
    obfuscation: randomLetters(8),
  }
}
