import type { CheckContext } from '../check/context.ts'
import { type Answer, contentOf, type StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { isKin } from './damaged-copy.ts'

/** How often a request is made again that did not get the text foretold, and how often the plain one is made behind it. */
const roundsMax = 10
/** So many texts, the first among them, must differ while no plain one does: a model says something else now and then. */
const differentMin = 6

/** A text that is known beforehand, from what the target said to a plain request. */
export interface Foretold {
  readonly what: string
  /** The plain request, and its text. */
  readonly body: ChatBody
  readonly plain: string
  /** What is asked otherwise, and the text that then has to come. */
  readonly change: ChatBody
  readonly expected: string
}

type Means = Pick<CheckContext, 'ask' | 'askStream' | 'expect' | 'undecidable'>

/**
 * Holds that a changed request gets the text that is foretold. Another text is the target's doing when it may be what
 * is left of the one foretold, comes more often than not, and never where the plain request is made.
 */
export async function holdForetold(
  { ask, askStream, expect, undecidable }: Means,
  mode: 'json' | 'stream',
  { what, body, plain, change, expected }: Foretold,
): Promise<void> {
  const send = mode === 'json' ? ask : askStream
  const changed = { ...body, ...change }
  const first = await send(changed)
  const text = textOf(first)
  if (text !== expected) {
    const chance = 'the model says something else now and then'
    if (text !== undefined && !isKin(text, expected)) throw undecidable(chance)
    let different = 1
    for (let round = 0; round < roundsMax; round += 1) if (textOf(await send(changed)) !== expected) different += 1
    if (different < differentMin) throw undecidable(chance)
    for (let round = 0; round <= roundsMax; round += 1)
      if (textOf(await send(body)) !== plain) throw undecidable(chance)
  }
  expect(what, text, first).is(expected)
}

function textOf(answer: Answer | StreamAnswer): string | undefined {
  return 'content' in answer ? answer.content : contentOf(answer)
}
