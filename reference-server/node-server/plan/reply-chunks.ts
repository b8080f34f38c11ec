import type { Script } from '../script/script.ts'

/** A reply's content, settled before any of it is sent. */
export interface Content {
  readonly fragments: readonly string[]
  readonly finishReason: string | null
  readonly usage: Readonly<Record<string, unknown>> | null
  readonly model: string
  readonly id: string
  readonly createdS: number
}

type Json = Readonly<Record<string, unknown>>

export function jsonReply({ fragments, finishReason, usage, model, id, createdS }: Content, script: Script): Json {
  const message = { role: 'assistant', content: fragments.join(''), ...script.extra?.delta }
  const choice = { index: 0, message, finish_reason: finishReason, ...script.extra?.choice }
  return {
    id,
    object: 'chat.completion',
    created: createdS,
    model,
    choices: [choice],
    ...(script.usageWhere !== 'never' && { usage }),
    ...script.extra?.reply,
  }
}

/**
 * The chunks of a stream: one for each fragment, the first of which names the role, then one with the finish reason,
 * and one with the usage where that has its own.
 */
export function streamChunks(content: Content, script: Script, usageWhere: NonNullable<Script['usageWhere']>): Json[] {
  const { fragments, finishReason, usage, model, id, createdS } = content
  const chunk = (choices: readonly Json[], withUsage: boolean): Json => ({
    id,
    object: 'chat.completion.chunk',
    created: createdS,
    model,
    choices: choices.map((choice) => ({ index: 0, ...choice, ...script.extra?.choice })),
    ...(withUsage && { usage }),
    ...script.extra?.chunk,
  })
  const isEvery = usageWhere === 'every-chunk'
  const deltas = fragments.map((text, index) => ({
    ...(index === 0 && { role: 'assistant' }),
    content: text,
    ...script.extra?.delta,
  }))
  return [
    ...deltas.map((delta) => chunk([{ delta, finish_reason: null }], isEvery)),
    chunk([{ delta: {}, finish_reason: finishReason }], isEvery || usageWhere === 'last-chunk'),
    ...(usageWhere === 'own-chunk' ? [chunk([], true)] : []),
  ]
}
