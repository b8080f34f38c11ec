import { baselineOf } from '../../src/asking/baseline.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { numberAt } from '../../src/json.ts'
import { inTurnUntil, untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import {
  type Answer,
  completionTokensOf,
  contentOf,
  finishReasonOf,
  type StreamAnswer,
  textOf,
} from '../../src/target/answer.ts'
import { charsPerTokenMax } from '../../src/target/chat.ts'

const longPrompt = {
  messages: [
    {
      role: 'user',
      content:
        'Tell a long story about a lighthouse, in at least ten sentences: who built it and why there, who kept it, how ' +
        'the keeper spent the winters, which ships came past and what they carried, what the storm did to them, who ' +
        'was saved and who was not, and what became of the light when nobody needed it any more.',
    },
  ],
}
const longestPrompt = {
  messages: [
    { role: 'user', content: 'Tell the story of a lighthouse in 600 words, from its first stone to its last lamp.' },
  ],
}
/** A model that says less is asked several times. */
const tellingChars = 40

/**
 * Expects limits to show in the text. A model that often says little is asked until a reply says that its limit cut it off:
 * what it says must fit into its tokens each time.
 */
async function holdLimits(
  { expect, undecidable }: CheckContext,
  texts: readonly string[],
  replyTo: (limit: number) => Promise<Answer | StreamAnswer>,
): Promise<void> {
  const lengths = texts.map(({ length }) => length)
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths, 0)]
  const isTalkative = texts.length > 0 && shortest >= tellingChars
  const isCutOff = (answer: Answer | StreamAnswer, limit: number): boolean =>
    finishReasonOf(answer) === 'length' && (completionTokensOf(answer) ?? 1) <= limit && textOf(answer).length < longest
  let cutOff = 0
  for (const limit of [1, 3]) {
    const most = Math.min(limit * charsPerTokenMax, isTalkative ? shortest - 1 : Number.POSITIVE_INFINITY)
    const times = isTalkative ? 1 : rules.limitShows.times
    const answers = await inTurnUntil(
      times,
      () => replyTo(limit),
      (answer) => isCutOff(answer, limit),
    )
    for (const answer of answers)
      expect(`characters for max_tokens: ${limit}, where 64 gave ${shortest}`, textOf(answer).length, answer).isAtMost(
        most,
      )
    cutOff += answers.filter((answer) => isCutOff(answer, limit)).length
  }
  if (!isTalkative && cutOff === 0) throw undecidable('the model says too little for a limit to show')
}

export const maxTokens = clause('2.1', [
  must('max-tokens.accepted', {
    states: ['max-tokens-limits'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 7, tokens: 700, quick: 2 },
    wrong: 'A max_tokens between 1 and 128 was not accepted.',
    coversNoReply: true,
    why: 'Clients bound their cost with `max_tokens`; one that is refused leaves them without a bound.',
    fix: 'Accept every positive whole number that the context window has room for.',
    async run({ fewServed, ask, expect }) {
      await sideBySide(fewServed([1, 2, 5, 16, 64, 100, 128]), async (limit) => {
        const reply = await ask({ max_tokens: limit })
        expect(`status for max_tokens: ${limit}`, reply.status, reply).isStatus('2xx')
      })
    },
  }),
  must('max-tokens.count-within-limit', {
    states: ['max-tokens-limits'],
    phase: 'early',
    dependsOn: ['max-tokens.accepted'],
    sameCauseAs: ['max-tokens.limits-the-text'],
    cost: { requests: 8, tokens: 1180, quick: 2 },
    wrong: 'A reply counts more completion tokens than its max_tokens.',
    why: 'A client is billed for more than it allowed when the count exceeds the limit.',
    fix: 'Stop the node at `max_tokens` and count what it generated.',
    async run({ fewServed, ask, expect, notApplicable }) {
      let counted = 0
      await sideBySide(fewServed([1, 2, 3, 5, 8, 13, 40, 300]), async (limit) => {
        const reply = await ask({ ...(limit < 100 ? longPrompt : longestPrompt), max_tokens: limit })
        const tokens = numberAt(reply.json, 'usage', 'completion_tokens')
        if (tokens === undefined) return
        counted += 1
        expect(`completion_tokens for max_tokens: ${limit}`, tokens, reply).isAtMost(limit)
      })
      if (counted === 0) throw notApplicable('no reply counts its completion tokens, which another check reports')
    },
  }),
  must('max-tokens.limits-the-text', {
    states: ['max-tokens-limits'],
    phase: 'early',
    dependsOn: ['max-tokens.accepted'],
    cost: { requests: 18, tokens: 900, quick: 2 },
    wrong: 'A reply has more text than its max_tokens allows.',
    why: 'A client whose limit is lost on the way pays for a reply that fills the window.',
    fix: 'Pass `max_tokens` on to the node, or cut the reply yourself.',
    async run(context) {
      const { body, texts } = await baselineOf(context, 'json')
      await holdLimits(context, texts, (limit) => context.ask({ ...body, max_tokens: limit }))
    },
  }),
  must('max-tokens.limits-the-stream', {
    states: ['max-tokens-limits'],
    phase: 'early',
    dependsOn: ['max-tokens.limits-the-text', 'max-tokens.accepted', 'stream.answers'],
    cost: { requests: 18, tokens: 900, quick: 2 },
    wrong: 'A stream has more text than its max_tokens allows.',
    why: 'Streaming clients pay for too much when that path builds its own node request and forgets the limit.',
    fix: 'Pass `max_tokens` on in both modes.',
    async run(context) {
      const { body, texts } = await baselineOf(context, 'stream')
      await holdLimits(context, texts, (limit) => context.askStream({ ...body, max_tokens: limit }))
    },
  }),
  must('max-tokens.limits-beside-other-fields', {
    states: ['max-tokens-limits'],
    dependsOn: [
      'max-tokens.limits-the-text',
      'max-tokens.limits-the-stream',
      'stop.array-accepted',
      'temperature.in-range-accepted',
      'top-p.in-range-accepted',
    ],
    cost: { requests: 8, tokens: 900, quick: 3 },
    wrong: 'A limit of 3 tokens did not hold beside temperature, top_p and stop.',
    why: 'Clients pay for too much when a special path for one field forgets the limit.',
    fix: 'Pass `max_tokens` on, whatever other fields are set.',
    async run({ ask, askStream, expect, undecidable }) {
      const most = 3 * charsPerTokenMax
      const isLong = (reply: Answer) => (contentOf(reply) ?? '').length > most
      const long = await untilRight(rules.limitShows, () => ask({ ...longestPrompt, max_tokens: 100 }), isLong)
      if (!isLong(long)) throw undecidable('the model says too little for a limit to show')
      const asked = { ...longestPrompt, max_tokens: 3, temperature: 0.5, top_p: 0.9, stop: ['\u0001'] }
      const reply = await ask(asked)
      const text = contentOf(reply) ?? ''
      expect('characters for max_tokens: 3 beside other fields', text.length, reply).isAtMost(most)
      const stream = await askStream(asked)
      expect('characters streamed for max_tokens: 3 beside other fields', stream.content.length, stream).isAtMost(most)
    },
  }),
  must('max-tokens.limits-each-model', {
    states: ['max-tokens-limits'],
    dependsOn: ['max-tokens.limits-the-text', 'max-tokens.limits-the-stream', 'stream.model-each'],
    sameCauseAs: ['max-tokens.count-within-limit'],
    cost: { requests: 18, tokens: 1380, quick: 6 },
    wrong: 'A model gave more tokens or text than max_tokens allows.',
    why: 'Each model may be served by a different path, and clients of a forgotten one have no limit.',
    fix: 'Pass `max_tokens` on for every model.',
    async run({ few, ask, askStream, prepared, model, expect }) {
      const ids = prepared.roster.length === 0 ? [model] : prepared.roster.slice(0, 6).map(({ id }) => id)
      await sideBySide(few(ids), async (id) => {
        const stream = await askStream({ ...longPrompt, model: id, max_tokens: 2 })
        expect(`characters streamed by ${id} for max_tokens: 2`, stream.content.length, stream).isAtMost(
          2 * charsPerTokenMax,
        )
        for (const limit of [2, 16]) {
          const reply = await ask({ ...longPrompt, model: id, max_tokens: limit })
          expect(
            `completion_tokens of ${id} for max_tokens: ${limit}`,
            numberAt(reply.json, 'usage', 'completion_tokens') ?? 0,
            reply,
          ).isAtMost(limit)
          expect(`characters of ${id} for max_tokens: ${limit}`, (contentOf(reply) ?? '').length, reply).isAtMost(
            limit * charsPerTokenMax,
          )
        }
      })
    },
  }),
  must('max-tokens.own-limit-per-request', {
    states: ['max-tokens-limits'],
    dependsOn: ['max-tokens.limits-the-text', 'max-tokens.limits-the-stream'],
    sameCauseAs: ['max-tokens.count-within-limit'],
    cost: { requests: 4, tokens: 300, quick: 3 },
    wrong: 'A limit of 2 tokens did not hold for a prompt asked before with 100.',
    why: 'A client that asked for a short reply gets a long one when the cache key ignores `max_tokens`.',
    fix: 'Make every field of the request part of the cache key, or do not cache.',
    async run({ ask, askStream, expect, nonce }) {
      const messages = [{ role: 'user', content: `Tell a long story about a lighthouse (${nonce()}).` }]
      await ask({ messages, max_tokens: 100 })
      const short = await ask({ messages, max_tokens: 2 })
      expect(
        'completion_tokens for max_tokens: 2 after 100',
        numberAt(short.json, 'usage', 'completion_tokens') ?? 0,
        short,
      ).isAtMost(2)
      expect('characters for max_tokens: 2 after 100', (contentOf(short) ?? '').length, short).isAtMost(
        2 * charsPerTokenMax,
      )
      const stream = await askStream({ messages, max_tokens: 2 })
      expect('characters streamed for max_tokens: 2 after 100', stream.content.length, stream).isAtMost(
        2 * charsPerTokenMax,
      )
    },
  }),
  should('max-tokens.wrong-type-refused', {
    states: ['wrong-types-are-refused'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    // Whoever does not read the field refuses nothing in it.
    sameCauseAs: ['max-tokens.limits-the-text'],
    cost: { requests: 7, tokens: 60, quick: 2 },
    wrong: 'A max_tokens that is no number was not refused with a 4xx.',
    why: 'A client whose limit is silently coerced or dropped has an unbounded cost.',
    fix: 'Refuse a `max_tokens` that is not a JSON number with a 4xx.',
    async run({ few, probe, expect }) {
      await sideBySide(few(['many', '', true, [], [5], {}]), async (value) => {
        const answer = await probe({ max_tokens: value })
        expect(`status for max_tokens: ${JSON.stringify(value)}`, answer.status, answer).isStatus('4xx')
      })
    },
  }),
])
