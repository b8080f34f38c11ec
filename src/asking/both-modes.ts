import type { CheckContext } from '../check/context.ts'
import { finding } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { contentOf, isSuccess, type StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { beginsAlike } from './baseline.ts'

/** What a model says to one request in both modes. */
export interface BothModes {
  readonly text: string
  readonly stream: StreamAnswer
}

/** Asks in both modes, and once more at temperature 0 where a model draws its words. */
export async function inBothModes(
  context: Pick<CheckContext, 'probe' | 'probeStream'>,
  body: ChatBody & { readonly max_tokens: number },
): Promise<BothModes | undefined> {
  return (await compareModes(context, body)) ?? (await compareModes(context, { ...body, temperature: 0 }))
}

/**
 * Asks in both modes. Undefined where the difference may be the model's: where it says something else, or the same in
 * both, to a request that allows some tokens more, which no cache has seen. The modes change places, so that texts that
 * come in turn show.
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
 * Whether another text is this one to its end, which a limit may have cut inside a letter or a space, and what it allows
 * beyond. In one mode at least it has to be: a model that ends in words of chance, or in a number that counts up, does so
 * in both.
 */
function goesOn(text: string, other: string): boolean {
  return other.startsWith(text.replace(/[\s\uFFFD]+$/u, ''))
}
