import { type Baseline, baselineOf } from '../../src/asking/baseline.ts'
import { clause, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { numberAt } from '../../src/json.ts'
import {
  type Answer,
  completionTokensOf,
  finishReasonOf,
  isSuccess,
  type StreamAnswer,
  textOf,
} from '../../src/target/answer.ts'

/** Limits that cut off the baseline's text of 64 tokens, in the order in which they are tried. */
const cuttingLimits = [
  [3, 4, 5, 6, 7, 8],
  [60, 61, 62, 63],
] as const

/** Whether a text is shorter than every text that the model says with more room; a model that says nothing was not cut off. */
function isCut(text: string, texts: readonly string[]): boolean {
  return text !== '' && texts.length > 0 && texts.every((one) => one.length > text.length)
}

/**
 * Expects a reply that a limit cut off not to say `stop`. A text may end just there by chance, but not at each of the limits,
 * and only a count that reached the limit, or a text that is always the same, shows a cut.
 */
async function holdReasons(
  { expect, undecidable }: CheckContext,
  { texts, stable }: Pick<Baseline, 'texts' | 'stable'>,
  replyTo: (limit: number) => Promise<Answer | StreamAnswer>,
): Promise<void> {
  let decided = 0
  for (const limits of cuttingLimits) {
    const saidStop: Answer[] = []
    for (const limit of limits) {
      const answer = await replyTo(limit)
      const used = completionTokensOf(answer)
      const reachedLimit = used === undefined ? stable !== undefined : used >= limit
      const isShown = isSuccess(answer) && reachedLimit && isCut(textOf(answer), texts)
      const reason = finishReasonOf(answer)
      if (reason === 'stop') {
        if (isShown) saidStop.push(answer)
      } else if (reason === 'length' || isShown) {
        expect(`finish_reason of a reply cut off by a limit of ${limit}`, reason, answer).isNot('stop')
        decided += 1
        break
      }
    }
    const last = saidStop.at(-1)
    if (last === undefined || saidStop.length < limits.length) continue
    expect(`finish_reason of a reply cut off by a limit of ${limits.at(-1)}`, 'stop', last).isNot('stop')
  }
  if (decided === 0) throw undecidable('the limit never cut the model off')
}

/** How a reply that its limit cut off says so. */
export const finishReason = clause('2.1', [
  should('max-tokens.finish-reason', {
    states: ['finish-reason-length'],
    dependsOn: ['max-tokens.limits-the-text'],
    sameCauseAs: ['relay.finish-reason'],
    cost: { requests: 16, tokens: 800, quick: 2 },
    wrong: 'A reply cut off by max_tokens says finish_reason stop.',
    why: 'Clients take a reply that was cut off for a complete one when it says `stop`.',
    fix: 'Say `length` where the limit ended the reply.',
    async run(context) {
      const baseline = await baselineOf(context, 'json')
      await holdReasons(context, baseline, (limit) => context.ask({ ...baseline.body, max_tokens: limit }))
    },
  }),
  should('max-tokens.finish-reason-streaming', {
    states: ['finish-reason-length'],
    dependsOn: ['max-tokens.limits-the-stream'],
    sameCauseAs: ['max-tokens.finish-reason', 'relay.finish-reason'],
    cost: { requests: 16, tokens: 800, quick: 2 },
    wrong: 'A stream cut off by max_tokens says finish_reason stop.',
    why: 'Clients take a stream that was cut off for a complete one when it says `stop`.',
    fix: 'Say `length` where the limit ended the stream.',
    async run(context) {
      const baseline = await baselineOf(context, 'stream')
      const { body, stable, answers } = baseline
      if (answers.length > 0 && answers.every((answer) => finishReasonOf(answer) === undefined))
        throw context.notApplicable('no stream names a finish reason')
      // Where the texts differ, only a count shows that the limit was reached; a gateway may refuse to send it.
      const counted = { ...body, stream_options: { include_usage: true } }
      await holdReasons(context, baseline, (limit) =>
        stable === undefined
          ? context.probeStream({ ...counted, max_tokens: limit })
          : context.askStream({ ...body, max_tokens: limit }),
      )
    },
  }),
  open('max-tokens.length-below-limit', {
    states: ['finish-reasons-open'],
    phase: 'odd',
    dependsOn: ['max-tokens.accepted'],
    cost: { requests: 1, tokens: 600 },
    why: 'A model with a ceiling of its own may say `length` below the requested limit.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ ask }) {
      const reply = await ask({ messages: [{ role: 'user', content: 'Name one colour.' }], max_tokens: 500 })
      return {
        completionTokens: numberAt(reply.json, 'usage', 'completion_tokens'),
        finishReason: finishReasonOf(reply),
      }
    },
  }),
])
