import type { ChunkParts, CompletionParts, Identity, Seams, TextEvents, UsageChunkParts } from './seams.ts'

/** What whole replies, chunks and their events look like. */
export const shapes = {
  completion({ id, created, model, text, finishReason, promptTokens, completionTokens }: CompletionParts) {
    const message = { role: 'assistant', content: text }
    return {
      id,
      object: 'chat.completion',
      created,
      model,
      system_fingerprint: null,
      choices: [{ index: 0, message, finish_reason: finishReason }],
      usage: usage(promptTokens, completionTokens),
    }
  },
  chunk({ role, text, finishReason, ...identity }: ChunkParts) {
    const delta = { ...(role !== undefined && { role }), ...(text !== undefined && { content: text }) }
    return chunk(identity, [{ index: 0, delta, finish_reason: finishReason ?? null }])
  },
  usageChunk({ promptTokens, completionTokens, ...identity }: UsageChunkParts) {
    return { ...chunk(identity, []), usage: usage(promptTokens, completionTokens) }
  },
  encode: (value: unknown) => JSON.stringify(value),
  frame,
  textEvents,
  doneFrame: () => 'data: [DONE]\n\n',
} satisfies Partial<Seams>

function frame(data: string): string {
  return `data: ${data}\n\n`
}

/** All but the text is made once a reply. */
function textEvents(identity: Identity): TextEvents {
  const empty = chunk(identity, [{ index: 0, delta: { content: '' }, finish_reason: null }])
  const [before = '', after = ''] = frame(JSON.stringify(empty)).split('"content":""')
  return (text) => `${before}"content":${JSON.stringify(text)}${after}`
}

/** Without a fingerprint: some clients demand a null in a whole reply, and take none in a chunk. */
function chunk({ id, created, model }: Identity, choices: readonly unknown[]) {
  return { id, object: 'chat.completion.chunk', created, model, choices }
}

function usage(promptTokens: number, completionTokens: number) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
