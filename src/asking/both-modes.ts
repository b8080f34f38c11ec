import type { CheckContext } from '../check/context.ts'
import { finding } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { contentOf, isSuccess, type StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { beginsAlike } from './baseline.ts'

/** What a model answers to one request in both modes. */
export interface BothModes {
  readonly text: string
  readonly stream: StreamAnswer
}

/** Asks in both modes, and again at temperature 0, and with a seed, if the model chooses its words at random. */
export async function inBothModes(
  context: Pick<CheckContext, 'probe' | 'probeStream'>,
  body: ChatBody & { readonly max_tokens: number },
): Promise<BothModes | undefined> {
  return (
    (await compareModes(context, body)) ??
    (await compareModes(context, { ...body, temperature: 0 })) ??
    (await compareModes(context, { ...body, temperature: 0, seed: 7 }))
  )
}

/**
 * Asks in both modes. Undefined if the difference may be the model's own: if it gives another text, or the same one in
 * both modes, to a request for a few more tokens, which no cache has seen. The modes swap places each round, so that
 * texts that alternate show.
 */
async function compareModes(
  { probe, probeStream }: Pick<CheckContext, 'probe' | 'probeStream'>,
  body: ChatBody & { readonly max_tokens: number },
): Promise<BothModes | undefined> {
  const text = contentOf(await probe(body))
  const stream = await probeStream(body)
  if (text === undefined || !isSuccess(stream)) return undefined
  if (text === stream.content) return { text, stream }
  const found = await finding(rules.bothModes, async (round) => {
    if (round === 0) return true
    const longer = { ...body, max_tokens: body.max_tokens + round }
    const reply = async () => contentOf(await probe(longer)) ?? ''
    const streamed = async () => (await probeStream(longer)).content
    const before = round % 2 === 1 ? await streamed() : undefined
    const again = await reply()
    const streamedAgain = before ?? (await streamed())
    const isAlike = beginsAlike(text, again) && beginsAlike(stream.content, streamedAgain)
    const isExpected = goesOn(text, again) || goesOn(stream.content, streamedAgain)
    return isAlike && isExpected && again !== streamedAgain
  })
  return found === 'wrong' ? { text, stream } : undefined
}

/**
 * Whether another text is this one and what follows; a limit may have cut this one inside a letter or a space. It must
 * be so in at least one mode: a model that ends in random words, or in a number that counts up, does so in both.
 */
function goesOn(text: string, other: string): boolean {
  return other.startsWith(text.replace(/[\s\uFFFD]+$/u, ''))
}
