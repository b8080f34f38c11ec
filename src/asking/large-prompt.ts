import type { CheckContext } from '../check/context.ts'
import { Mismatch } from '../check/expect.ts'
import { numberAt } from '../json.ts'
import type { ChatBody } from '../target/chat.ts'
import { windowOf } from '../target/window.ts'

const sentence = 'The quick brown fox jumps over the lazy dog near the river bank. '
/** The other tenth of the window is for template tokens and for tokenizers that count differently. */
export const windowShare = 0.9
export const sampleBytes = 10_000

/** A question of this many bytes of plain English, with a brief answer. */
export function askingBytes(bytes: number) {
  const content = sentence.repeat(Math.ceil(bytes / sentence.length)).slice(0, bytes)
  return { messages: [{ role: 'user', content }], max_tokens: 2 }
}

/** How many bytes of plain English fill a share of the window, or `tokensMost`, by the target's own count on a sample. */
export async function bytesThatFit(context: CheckContext, tokensMost = Number.POSITIVE_INFINITY): Promise<number> {
  const { ask, prepared, target, undecidable } = context
  const window = windowOf(target.config, prepared)
  if (window === undefined) throw undecidable('the window of the model is not known: pass --context-window')
  // Where bytes are tokens, more would not fit.
  const bytes = Math.min(sampleBytes, Math.floor(window / 2))
  const sample = await askAtLength(context, ask, askingBytes, bytes)
  const tokens = numberAt(sample.json, 'usage', 'prompt_tokens') ?? 0
  if (tokens < bytes / 100) throw undecidable('usage counts too few prompt tokens to calculate with')
  return Math.floor((bytes / tokens) * Math.min(window * windowShare, tokensMost))
}

/**
 * Asks with a prompt of this many bytes. Silence fails the check only if a tenth of the prompt shows that the target
 * reads fast enough: a slow reader is undecidable.
 */
export async function askAtLength<A>(
  { probe, undecidable }: Pick<CheckContext, 'probe' | 'undecidable'>,
  ask: (body: ChatBody) => Promise<A>,
  bodyOf: (bytes: number) => ChatBody,
  bytes: number,
): Promise<A> {
  try {
    return await ask(bodyOf(bytes))
  } catch (error) {
    if (!(error instanceof Mismatch) || error.saw.exchange?.ending !== 'timeout') throw error
    const tenth = await probe(bodyOf(bytes / 10))
    if (tenth.exchange.endedAtMs * 10 * 2 < error.saw.exchange.endedAtMs) throw error
    const tookS = (tenth.exchange.endedAtMs / 1000).toFixed(1)
    throw undecidable(`a prompt of ${bytes / 10} bytes takes ${tookS} s: one of ${bytes} takes longer than a run waits`)
  }
}
