import { contentOf, type StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { beginsAlike } from './baseline.ts'
import type { CheckContext } from './context.ts'

/** What a model says to one request in both modes. */
export interface BothModes {
  readonly text: string
  readonly stream: StreamAnswer
}

/**
 * Asks in both modes. Undefined where the difference may be the model's: where it says something else to a request that
 * allows one token more, which no cache has seen.
 */
export async function inBothModes(
  { probe, probeStream }: Pick<CheckContext, 'probe' | 'probeStream'>,
  body: ChatBody & { readonly max_tokens: number },
): Promise<BothModes | undefined> {
  const text = contentOf(await probe(body))
  const stream = await probeStream(body)
  if (text === undefined) return undefined
  if (text === stream.content) return { text, stream }
  const longer = { ...body, max_tokens: body.max_tokens + 1 }
  const agrees = beginsAlike(text, contentOf(await probe(longer)) ?? '')
  return agrees && beginsAlike(stream.content, (await probeStream(longer)).content) ? { text, stream } : undefined
}
