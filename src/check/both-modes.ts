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
 * Asks in both modes. Undefined where the difference may be the model's: where it says something else to requests that
 * allow a token or two more, which no cache has seen. The modes change places, so that texts that come in turn show.
 */
export async function inBothModes(
  { probe, probeStream }: Pick<CheckContext, 'probe' | 'probeStream'>,
  body: ChatBody & { readonly max_tokens: number },
): Promise<BothModes | undefined> {
  const text = contentOf(await probe(body))
  const stream = await probeStream(body)
  if (text === undefined) return undefined
  if (text === stream.content) return { text, stream }
  const longer = (tokens: number): typeof body => ({ ...body, max_tokens: body.max_tokens + tokens })
  const repliesAlike = async (tokens: number) => beginsAlike(text, contentOf(await probe(longer(tokens))) ?? '')
  const streamsAlike = async (tokens: number) =>
    beginsAlike(stream.content, (await probeStream(longer(tokens))).content)
  const isSettled =
    (await streamsAlike(1)) && (await repliesAlike(1)) && (await repliesAlike(2)) && (await streamsAlike(2))
  return isSettled ? { text, stream } : undefined
}
