import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Content, Dialect, Json, Problem } from './dialect.ts'

/**
 * vllm-project/vllm: `vllm/entrypoints/openai/chat_completion/serving.py` (the stream: fields that were not set are
 * left out), `…/protocol.py` (the reply: every field is there), `vllm/entrypoints/openai/engine/protocol.py` (errors, models).
 */
export const vllm: Dialect = {
  newId: () => `chatcmpl-${randomUUID().replaceAll('-', '')}`,
  reply: ({ fragments, finishReason, usage, model, id, createdS }) => ({
    id,
    object: 'chat.completion',
    created: createdS,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: fragments.join(''),
          refusal: null,
          annotations: null,
          audio: null,
          function_call: null,
          reasoning: null,
        },
        logprobs: null,
        finish_reason: finishReason,
        stop_reason: null,
        token_ids: null,
        routed_experts: null,
      },
    ],
    service_tier: null,
    system_fingerprint: null,
    usage,
    prompt_logprobs: null,
    prompt_token_ids: null,
    prompt_text: null,
    kv_transfer_params: null,
    metrics: null,
  }),
  chunks: (content) => ({
    role: {
      ...chunk(content, { role: 'assistant', content: '' }, { logprobs: null, finish_reason: null }),
      prompt_token_ids: null,
      prompt_text: null,
    },
    text: (fragment) => chunk(content, { content: fragment }, { logprobs: null, finish_reason: null, token_ids: null }),
    finish: (finishReason, fragment = '') =>
      chunk(
        content,
        { content: fragment },
        { logprobs: null, finish_reason: finishReason, stop_reason: null, token_ids: null },
      ),
    usage: { ...chunk(content, {}, {}), choices: [] },
  }),
  // The token that reaches the limit has text; the one that ends a reply by itself has none.
  joinsFinish: (finishReason) => finishReason === 'length',
  usage: (promptTokens, completionTokens) => ({
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens: completionTokens,
  }),
  error: ({ status, message, param = null }) =>
    status === 401
      ? { error: 'Unauthorized' }
      : { error: { message, type: types[status] ?? STATUS_CODES[status], param, code: status } },
  isDoneAfterError: true,
  models: (ids, createdS) => ({
    object: 'list',
    data: ids.map((id) => ({
      id,
      object: 'model',
      created: createdS,
      owned_by: 'vllm',
      root: id,
      parent: null,
      max_model_len: 131_072,
      permission: [],
    })),
  }),
  headers: (kind) => ({
    server: 'uvicorn',
    'content-type': kind === 'json' ? 'application/json' : 'text/event-stream; charset=utf-8',
  }),
}

const types: Readonly<Record<Problem['status'], string>> = {
  400: 'BadRequestError',
  404: 'NotFoundError',
  500: 'InternalServerError',
}

function chunk({ id, createdS, model }: Content, delta: Json, more: Json): Json {
  const choices = [{ index: 0, delta, ...more }]
  return { id, object: 'chat.completion.chunk', created: createdS, model, choices }
}
