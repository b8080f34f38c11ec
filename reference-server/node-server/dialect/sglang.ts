import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Content, Dialect, Json, Problem } from './dialect.ts'

/**
 * sgl-project/sglang: `python/sglang/srt/entrypoints/openai/serving_chat.py` and `…/sse_utils.py` (the stream: of the
 * fields that are null, a delta has only `reasoning_content`), `…/protocol.py` (reply, errors, models),
 * `…/serving_base.py` (errors in streams), `python/sglang/srt/entrypoints/http_server.py` (the facts, of which its router takes the
 * name of the model).
 */
export const sglang: Dialect = {
  newId: () => randomUUID().replaceAll('-', ''),
  reply: ({ fragments, finishReason, usage, model, id, createdS }) => ({
    id,
    object: 'chat.completion',
    created: createdS,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: fragments.join(''), reasoning_content: null, tool_calls: null },
        logprobs: null,
        finish_reason: finishReason,
        matched_stop: matchedStop(finishReason),
      },
    ],
    usage,
    metadata: { weight_version: 'default' },
  }),
  chunks: (content) => ({
    role: chunk(content, { role: 'assistant', content: '' }, null),
    text: (fragment) => chunk(content, { content: fragment }, null),
    finish: (finishReason) => chunk(content, {}, finishReason),
    usage: { ...chunk(content, {}, null), choices: [] },
  }),
  usage: (promptTokens, completionTokens) => ({
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens: completionTokens,
    prompt_tokens_details: null,
    reasoning_tokens: 0,
  }),
  error: (problem) => (problem.status === 401 ? { error: 'Unauthorized' } : flatError(problem)),
  streamedError: (problem) => ({ error: flatError(problem) }),
  isDoneAfterError: true,
  models: (ids, createdS) => ({
    object: 'list',
    data: ids.map((id) => ({
      id,
      object: 'model',
      created: createdS,
      owned_by: 'sglang',
      root: id,
      parent: null,
      max_model_len: 131_072,
    })),
  }),
  facts: ([id = '']) => {
    const model = { model_path: id, tokenizer_path: id, is_generation: true, weight_version: 'default' }
    const server = { model_path: id, served_model_name: id, tp_size: 1, dp_size: 1 }
    return { '/model_info': model, '/get_model_info': model, '/server_info': server, '/get_server_info': server }
  },
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

function flatError({ status, message, param }: Problem): Json {
  return { object: 'error', message, type: types[status] ?? STATUS_CODES[status], param: param ?? null, code: status }
}

/** The id of the token that ended the reply. */
function matchedStop(finishReason: string | null): number | null {
  return finishReason === 'stop' ? 151_645 : null
}

function chunk({ id, createdS, model }: Content, delta: Json, finishReason: string | null): Json {
  return {
    id,
    object: 'chat.completion.chunk',
    created: createdS,
    model,
    choices: [
      {
        index: 0,
        delta: { reasoning_content: null, ...delta },
        logprobs: null,
        finish_reason: finishReason,
        matched_stop: matchedStop(finishReason),
      },
    ],
  }
}
