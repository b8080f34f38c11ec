import type { CheckContext } from '../check/context.ts'
import { hasErrorFrame, isSuccess, type StreamAnswer } from '../target/answer.ts'
import { type Crowd, crowdTokensMax, type Prompt } from './crowd.ts'
import { isKin } from './damaged-copy.ts'

/** Of how many streams of a crowd the text is compared with what the prompt gets alone. */
const samplesMax = 8
/** Of two crowds, each, so many must be strange: a model says something else now and then. */
const strangeMin = 2
/** How often each prompt must then get the same text alone. */
const aloneRounds = 3

/** What a prompt got among others, and what it gets alone. */
interface Sample {
  readonly prompt: Prompt
  readonly among: StreamAnswer
  readonly alone: string
}

/**
 * Holds that the streams of a crowd have the texts that their prompts get alone. Returns how many were seen to. A text
 * counts against the target when it is damaged, or is that of another stream: a model may find other words when it is
 * busy, and another node may.
 */
export async function holdAsAlone(
  context: Pick<CheckContext, 'askStream' | 'expect' | 'undecidable'>,
  crowd: Crowd,
  anotherCrowd: () => Promise<Crowd>,
): Promise<number> {
  const samples = await sampled(context, crowd)
  const enough = Math.min(strangeMin, samples.length)
  const [first, ...more] = strangeOf(samples, crowd)
  if (first !== undefined && more.length + 1 >= enough) {
    for (const { prompt, alone } of samples)
      for (let round = 0; round < aloneRounds; round += 1)
        if ((await askAlone(context, prompt)).content !== alone)
          throw context.undecidable('the model says something else now and then')
    const second = await anotherCrowd()
    if (strangeOf(await sampled(context, second), second).length >= enough)
      context
        .expect(`text streamed for ${first.prompt.nonce} among others, against alone`, first.among.content, first.among)
        .is(first.alone)
  }
  return samples.filter(({ among, alone }) => among.content === alone && alone !== '').length
}

async function sampled(context: Pick<CheckContext, 'askStream'>, { prompts, streams }: Crowd): Promise<Sample[]> {
  const samples: Sample[] = []
  const step = Math.ceil(prompts.length / samplesMax)
  for (const [index, prompt] of prompts.entries()) {
    const among = streams[index]
    if (index % step !== 0 || among === undefined || !isSuccess(among) || hasErrorFrame(among)) continue
    const alone = await askAlone(context, prompt)
    if (!hasErrorFrame(alone)) samples.push({ prompt, among, alone: alone.content })
  }
  return samples
}

function strangeOf(samples: readonly Sample[], { streams }: Crowd): readonly Sample[] {
  return samples.filter(({ among, alone }) => {
    if (among.content === alone) return false
    const isOfAnother =
      streams.some((stream) => stream !== among && stream.content === among.content) &&
      samples.filter((other) => other.alone === alone).length === 1
    return isOfAnother || isKin(among.content, alone)
  })
}

function askAlone({ askStream }: Pick<CheckContext, 'askStream'>, { messages }: Prompt): Promise<StreamAnswer> {
  return askStream({ messages, max_tokens: crowdTokensMax })
}
