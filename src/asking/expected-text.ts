import type { CheckContext } from '../check/context.ts'
import { finding } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { type Answer, contentOf, type StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { isDamagedCopy } from './damaged-copy.ts'

/** A text that is known beforehand, from what the target said to a plain request. */
export interface ExpectedText {
  readonly what: string
  /** The plain request, and its text. */
  readonly body: ChatBody
  readonly plain: string
  /** What is asked differently, and the text that has to come then. */
  readonly change: ChatBody
  readonly expected: string
}

type Means = Pick<CheckContext, 'ask' | 'askStream' | 'expect' | 'undecidable'>

/**
 * Holds that a changed request gets the text that is expected. Another text is the target's doing when it may be what
 * is left of the expected one, comes more often than not, and never comes to the plain request.
 */
export async function holdExpectedText(
  { ask, askStream, expect, undecidable }: Means,
  mode: 'json' | 'stream',
  { what, body, plain, change, expected }: ExpectedText,
): Promise<void> {
  const send = mode === 'json' ? ask : askStream
  const changed = { ...body, ...change }
  const first = await send(changed)
  const text = textOf(first)
  if (text !== expected) {
    const chance = 'the model says something else now and then'
    if (text !== undefined && !isDamagedCopy(text, expected)) throw undecidable(chance)
    const found = await finding(
      rules.expectedText,
      async (turn) => turn === 0 || textOf(await send(changed)) !== expected,
      async () => textOf(await send(body)) !== plain,
    )
    if (found !== 'wrong') throw undecidable(chance)
  }
  expect(what, text, first).is(expected)
}

function textOf(answer: Answer | StreamAnswer): string | undefined {
  return 'content' in answer ? answer.content : contentOf(answer)
}
