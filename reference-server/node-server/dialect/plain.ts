import { randomId } from '../../random-id.ts'
import type { Content, Dialect, Json } from './dialect.ts'

/** What the format's documentation shows and nothing more: no engine in particular. */
export const plain: Dialect = {
  newId: () => randomId('chatcmpl-'),
  reply: ({ fragments, finishReason, usage, model, id, createdS }) => ({
    id,
    object: 'chat.completion',
    created: createdS,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: fragments.join('') }, finish_reason: finishReason }],
    usage,
  }),
  chunks: (content) => ({
    text: (fragment, isFirst) => chunk(content, { ...(isFirst && { role: 'assistant' }), content: fragment }, null),
    finish: (finishReason) => chunk(content, {}, finishReason),
    usage: { ...chunk(content, {}, null), choices: [] },
  }),
  usage: (promptTokens, completionTokens) => ({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }),
  error: ({ message, type, code, param = null }) => ({ error: { message, type, param, code } }),
  isDoneAfterError: false,
  models: (ids) => ({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', created: 0, owned_by: 'assay' })),
  }),
  headers: (kind) =>
    kind === 'json'
      ? { 'content-type': 'application/json' }
      : { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
}

function chunk({ id, createdS, model }: Content, delta: Json, finishReason: string | null): Json {
  const choices = [{ index: 0, delta, finish_reason: finishReason }]
  return { id, object: 'chat.completion.chunk', created: createdS, model, choices }
}
