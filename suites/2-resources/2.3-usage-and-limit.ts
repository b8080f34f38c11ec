import { usageIn, withUsage } from '../../src/asking/billing.ts'
import { clause, must } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { at, numberAt } from '../../src/json.ts'
import { inTurnUntil } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { type Answer, contentOf, finishReasonOf, isStream, type StreamAnswer } from '../../src/target/answer.ts'

const limits = [150, 180, 217] as const
/** For a model that says more to any question, but ends it by itself. */
const generousLimits = [1000, 1200, 1447] as const
const question = { messages: [{ role: 'user', content: 'Is water wet? Answer in 2 words.' }], temperature: 0 }

/** A model may think a little besides its text, or count the end of its reply. */
const hiddenTokensMax = 64

/** What is counted for a short reply that ended by itself, whose limit proves nothing about it. */
function countOf(answer: Answer | StreamAnswer, limit: number): number | undefined {
  const text = isStream(answer) ? answer.content : contentOf(answer)
  // No token is shorter than a byte.
  if (text === undefined || finishReasonOf(answer) === 'length' || Buffer.byteLength(text) + hiddenTokensMax > limit)
    return undefined
  return numberAt(isStream(answer) ? usageIn(answer) : at(answer.json, 'usage'), 'completion_tokens')
}

/** Expects the count of a reply that ends by itself not to rise token for token with its limit. */
async function expectOwnCount(
  { expect, undecidable }: CheckContext,
  what: string,
  ask: (limit: number) => Promise<Answer | StreamAnswer>,
): Promise<void> {
  const count = (some: readonly number[]) =>
    inTurnUntil(
      rules.countAsLimit.times,
      async (turn) => {
        const limit = some[turn] ?? some[0] ?? 0
        const answer = await ask(limit)
        return { answer, limit, count: countOf(answer, limit) }
      },
      (one, [first]) => one.count === undefined || !risesWithLimit(first, one),
    )
  const brief = await count(limits)
  const isTooLong = brief.at(-1)?.count === undefined && brief.every(({ answer }) => finishReasonOf(answer) === 'stop')
  const seen = isTooLong ? await count(generousLimits) : brief
  const [first, last] = [seen[0], seen.at(-1)]
  if (last?.count === undefined) throw undecidable('the model ends no short reply by itself, or does not count it')
  const counts = seen.map(({ count }) => count)
  expect(
    `completion_tokens of a short ${what}, for a max_tokens of ${seen.map(({ limit }) => limit)}`,
    counts,
    last.answer,
  ).satisfies('counts that do not rise token for token with max_tokens', !risesWithLimit(first, last))
}

interface Counted {
  readonly limit: number
  readonly count: number | undefined
}

function risesWithLimit(first: Counted | undefined, { limit, count }: Counted): boolean {
  return count !== undefined && first?.count !== undefined && count - limit === first.count - first.limit
}

const told = {
  states: ['completion-tokens-counted'],
  why: 'Clients that set a generous limit are billed for all of it, however short the reply.',
  fix: 'Count what the node generated, not what the request allowed.',
} as const

/** What is counted for a reply that does not use up its limit. */
export const usageAndLimit = clause('2.3', [
  must('usage.is-not-the-limit', {
    ...told,
    dependsOn: ['usage.present', 'max-tokens.accepted'],
    cost: { requests: 6, tokens: 1000, quick: 2 },
    wrong: 'The completion_tokens of a short reply rise token for token with max_tokens.',
    run: (context) => expectOwnCount(context, 'reply', (limit) => context.ask({ ...question, max_tokens: limit })),
  }),
  must('usage.is-not-the-limit-streaming', {
    ...told,
    dependsOn: ['usage.is-not-the-limit', 'stream.answers'],
    cost: { requests: 6, tokens: 1000, quick: 2 },
    wrong: 'The completion_tokens of a short stream rise token for token with max_tokens.',
    run: (context) =>
      expectOwnCount(context, 'stream', (limit) =>
        context.probeStream({ ...question, ...withUsage, max_tokens: limit }),
      ),
  }),
])
