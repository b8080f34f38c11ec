import type { CheckContext } from '../../check/context.ts'
import { inTurn } from '../../repeat/repeat.ts'
import { rules } from '../../repeat/rules.ts'
import { hasErrorFrame, isSuccess, type StreamAnswer } from '../../target/answer.ts'
import { isDamagedCopy } from '../damaged-copy.ts'
import { type Crowd, crowdTokensMax, type Prompt } from './crowd.ts'

/** How many streams of a crowd are compared with what their prompt gets by itself. */
const samplesMax = 8
/** How often each prompt must get the same text by itself before a crowd is compared with it. */
const roundsByItself = rules.crowdText.controls.times / samplesMax

/** What a prompt got among others, and what it gets by itself. */
interface Sample {
  readonly prompt: Prompt
  readonly among: StreamAnswer
  readonly byItself: string
}

/**
 * Expects the streams of a crowd to have the texts that their prompts get by themselves. Returns how many were seen to.
 * A text fails only if it is damaged or belongs to another stream: a busy model may find other words.
 */
export async function holdCrowdText(
  context: Pick<CheckContext, 'askStream' | 'expect' | 'undecidable'>,
  crowd: Crowd,
  anotherCrowd: () => Promise<Crowd>,
): Promise<number> {
  const samples = await sampled(context, crowd)
  const enough = Math.min(rules.crowdText.wrongMin, samples.length)
  const [first, ...more] = strangeOf(samples, crowd)
  if (first !== undefined && more.length + 1 >= enough) {
    for (const { prompt, byItself } of samples) {
      const texts = await inTurn(roundsByItself, async () => (await askByItself(context, prompt)).content)
      if (texts.some((text) => text !== byItself))
        throw context.undecidable('the model says something else now and then')
    }
    const second = await anotherCrowd()
    if (strangeOf(await sampled(context, second), second).length >= enough)
      context
        .expect(
          `text streamed for ${first.prompt.nonce} among others, compared with the text it gets by itself`,
          first.among.content,
          first.among,
        )
        .is(first.byItself)
  }
  return samples.filter(({ among, byItself }) => among.content === byItself && byItself !== '').length
}

async function sampled(context: Pick<CheckContext, 'askStream'>, { prompts, streams }: Crowd): Promise<Sample[]> {
  const samples: Sample[] = []
  const step = Math.ceil(prompts.length / samplesMax)
  for (const [index, prompt] of prompts.entries()) {
    const among = streams[index]
    if (index % step !== 0 || among === undefined || !isSuccess(among) || hasErrorFrame(among)) continue
    const byItself = await askByItself(context, prompt)
    if (!hasErrorFrame(byItself)) samples.push({ prompt, among, byItself: byItself.content })
  }
  return samples
}

function strangeOf(samples: readonly Sample[], { streams }: Crowd): readonly Sample[] {
  return samples.filter(({ among, byItself }) => {
    if (among.content === byItself) return false
    const isOfAnother =
      streams.some((stream) => stream !== among && stream.content === among.content) &&
      samples.filter((other) => other.byItself === byItself).length === 1
    return isOfAnother || isDamagedCopy(among.content, byItself)
  })
}

function askByItself({ askStream }: Pick<CheckContext, 'askStream'>, { messages }: Prompt): Promise<StreamAnswer> {
  return askStream({ messages, max_tokens: crowdTokensMax })
}
