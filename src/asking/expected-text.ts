import type { CheckContext } from '../check/context.ts'
import { finding } from '../repeat/repeat.ts'
import { rules } from '../repeat/rules.ts'
import { type Answer, contentOf, type StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import { isDamagedCopy } from './damaged-copy.ts'

/** A text that is known beforehand from what the target answered to a plain request. */
export interface ExpectedText {
  readonly what: string
  /** The plain request, and its text. */
  readonly body: ChatBody
  readonly plain: string
  /** What the changed request asks differently, and the text that it must get. */
  readonly change: ChatBody
  readonly expected: string
}

type Means = Pick<CheckContext, 'ask' | 'askStream' | 'expect' | 'undecidable'>

/**
 * Expects a changed request to get the expected text. Another text fails only if it may be a damaged copy of the
 * expected one, comes more often than not, and never comes for the plain request.
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
