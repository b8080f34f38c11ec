import { baselineOf } from '../../src/asking/baseline.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import { at, numberAt } from '../../src/json.ts'
import { contentOf, finishReasonOf, isClientError, isSuccess } from '../../src/target/answer.ts'
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
/** Limits that cut off the baseline's text of 64 tokens, in the order in which they are tried. */
const cuttingLimits = [
  [3, 4, 5, 6, 7, 8],
  [60, 61, 62, 63],
] as const

/** Whether a text is shorter than every text that the model says with more room. */
function isCut(text: string, texts: readonly string[]): boolean {
  return texts.length > 0 && texts.every((one) => one.length > text.length)
}

export const maxTokens = clause('2.1', [
  must('max-tokens.accepted', {
    states: ['max-tokens-limits'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 7, tokens: 700 },
    why: 'Clients bound their cost with `max_tokens`; one that is refused leaves them without a bound.',
    fix: 'Accept every positive whole number that the context window has room for.',
    async run({ ask, expect }) {
      for (const limit of [1, 2, 5, 16, 64, 100, 128]) {
        const reply = await ask({ max_tokens: limit })
        expect(`status for max_tokens: ${limit}`, reply.status, reply).satisfies('a 2xx', isSuccess(reply))
      }
    },
  }),
  must('max-tokens.count-within-limit', {
    states: ['max-tokens-limits'],
    phase: 'early',
    dependsOn: ['max-tokens.accepted'],
    behind: ['max-tokens.limits-the-text'],
    cost: { requests: 8, tokens: 800 },
    why: 'A client is billed for more than it allowed when the count exceeds the limit.',
    fix: 'Stop the node at `max_tokens` and count what it generated.',
    async run({ ask, expect }) {
      for (const limit of [1, 2, 3, 5, 8, 13, 40, 300]) {
        const reply = await ask({ ...(limit < 100 ? longPrompt : longestPrompt), max_tokens: limit })
        expect(
          `completion_tokens for max_tokens: ${limit}`,
          numberAt(reply.json, 'usage', 'completion_tokens') ?? 0,
          reply,
        ).isAtMost(limit)
      }
    },
  }),
  must('max-tokens.limits-the-text', {
    states: ['max-tokens-limits'],
    phase: 'early',
    dependsOn: ['max-tokens.accepted'],
    cost: { requests: 9, tokens: 900 },
    why: 'A client whose limit is lost on the way pays for a reply that fills the window.',
    fix: 'Pass `max_tokens` on to the node, or cut the reply yourself.',
    async run(context) {
      const { ask, expect, undecidable } = context
      const { body, texts } = await baselineOf(context, 'json')
      const shortest = Math.min(...texts.map((text) => text.length))
      if (texts.length === 0 || shortest < 40) throw undecidable('the model says too little for a limit to show')
      for (const limit of [1, 3]) {
        const reply = await ask({ ...body, max_tokens: limit })
        const length = (contentOf(reply) ?? '').length
        expect(`characters for max_tokens: ${limit}, where 64 gave ${shortest}`, length, reply).isAtMost(
          Math.min(limit * charsPerTokenMax, shortest - 1),
        )
      }
    },
  }),
  must('max-tokens.limits-the-stream', {
    states: ['max-tokens-limits'],
    phase: 'early',
    dependsOn: ['max-tokens.limits-the-text', 'max-tokens.accepted', 'stream.answers'],
    cost: { requests: 6, tokens: 900 },
    why: 'Streaming clients pay for too much when that path builds its own node request and forgets the limit.',
    fix: 'Pass `max_tokens` on in both modes.',
    async run(context) {
      const { askStream, expect, undecidable } = context
      const { body, texts } = await baselineOf(context, 'stream')
      const shortest = Math.min(...texts.map((text) => text.length))
      if (texts.length === 0 || shortest < 40) throw undecidable('the model says too little for a limit to show')
      for (const limit of [1, 3]) {
        const stream = await askStream({ ...body, max_tokens: limit })
        expect(
          `characters for max_tokens: ${limit}, where 64 gave ${shortest}`,
          stream.content.length,
          stream,
        ).isAtMost(Math.min(limit * charsPerTokenMax, shortest - 1))
      }
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
    cost: { requests: 3, tokens: 260 },
    why: 'Clients pay for too much when a special path for one field forgets the limit.',
    fix: 'Pass `max_tokens` on, whatever other fields are set.',
    async run({ ask, askStream, expect, undecidable }) {
      const most = 3 * charsPerTokenMax
      const long = await ask({ ...longPrompt, max_tokens: 128 })
      if ((contentOf(long) ?? '').length <= most) throw undecidable('the model says too little for a limit to show')
      const asked = { ...longPrompt, max_tokens: 3, temperature: 0.5, top_p: 0.9, stop: ['\u0001'] }
      const reply = await ask(asked)
      const text = contentOf(reply) ?? ''
      expect('characters for max_tokens: 3 beside other fields', text.length, reply).isAtMost(most)
      const stream = await askStream(asked)
      expect('characters streamed for max_tokens: 3 beside other fields', stream.content.length, stream).isAtMost(most)
    },
  }),
  must('max-tokens.limits-each-model', {
    states: ['max-tokens-limits'],
    dependsOn: [
      'max-tokens.count-within-limit',
      'max-tokens.limits-the-text',
      'max-tokens.limits-the-stream',
      'stream.model-each',
    ],
    cost: { requests: 18, tokens: 900 },
    why: 'Each model may be served by a different path, and clients of a forgotten one have no limit.',
    fix: 'Pass `max_tokens` on for every model.',
    async run({ ask, askStream, prepared, model, expect }) {
      const ids = prepared.roster.length === 0 ? [model] : prepared.roster.slice(0, 6).map(({ id }) => id)
      for (const id of ids) {
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
      }
    },
  }),
  must('max-tokens.own-limit-per-request', {
    states: ['max-tokens-limits'],
    dependsOn: ['max-tokens.count-within-limit', 'max-tokens.limits-the-text', 'max-tokens.limits-the-stream'],
    cost: { requests: 4, tokens: 300 },
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
  should('max-tokens.finish-reason', {
    states: ['finish-reason-length'],
    dependsOn: ['max-tokens.limits-the-text'],
    cost: { requests: 16, tokens: 800 },
    why: 'Clients take a reply that was cut off for a complete one when it says `stop`.',
    fix: 'Say `length` where the limit ended the reply.',
    async run(context) {
      const { ask, expect, undecidable } = context
      const { body, texts } = await baselineOf(context, 'json')
      let decided = 0
      for (const limits of cuttingLimits) {
        const reasons = []
        // A model's text may end just there by chance, but not again and again.
        for (const limit of limits) {
          const reply = await ask({ ...body, max_tokens: limit })
          // A model may end by itself within the limit: only a count that reached the limit shows a cut.
          const used = numberAt(reply.json, 'usage', 'completion_tokens') ?? 0
          if (used < limit || !isCut(contentOf(reply) ?? '', texts)) break
          reasons.push({ reason: at(reply.json, 'choices', 0, 'finish_reason'), reply, limit })
          if (reasons.at(-1)?.reason !== 'stop') break
        }
        const last = reasons.at(-1)
        if (last === undefined || (last.reason === 'stop' && reasons.length < limits.length)) continue
        expect(`finish_reason of a reply cut off by a limit of ${last.limit}`, last.reason, last.reply).isNot('stop')
        decided += 1
      }
      if (decided === 0) throw undecidable('the limit never cut the model off')
    },
  }),
  should('max-tokens.finish-reason-streaming', {
    states: ['finish-reason-length'],
    dependsOn: ['max-tokens.limits-the-stream'],
    cost: { requests: 16, tokens: 800 },
    why: 'Clients take a stream that was cut off for a complete one when it says `stop`.',
    fix: 'Say `length` where the limit ended the stream.',
    async run(context) {
      const { askStream, expect, undecidable, notApplicable } = context
      const { body, texts, stable } = await baselineOf(context, 'stream')
      if (stable === undefined) throw undecidable('the model says something different each time')
      let decided = 0
      for (const limits of cuttingLimits) {
        const cut = []
        for (const limit of limits) {
          const stream = await askStream({ ...body, max_tokens: limit })
          if (!isCut(stream.content, texts)) break
          cut.push(stream)
          if (finishReasonOf(stream) !== 'stop') break
        }
        const last = cut.at(-1)
        if (last === undefined || (finishReasonOf(last) === 'stop' && cut.length < limits.length)) continue
        if (finishReasonOf(last) === undefined) throw notApplicable('the stream names no finish reason')
        expect(`finish_reason of a stream cut off by a limit of ${limits[0]}`, finishReasonOf(last), last).isNot('stop')
        decided += 1
      }
      if (decided === 0) throw undecidable('the limit never cut the model off')
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
        finishReason: at(reply.json, 'choices', 0, 'finish_reason'),
      }
    },
  }),
  should('max-tokens.wrong-type-refused', {
    states: ['wrong-types-are-refused'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 7, tokens: 420 },
    why: 'A client whose limit is silently coerced or dropped has an unbounded cost.',
    fix: 'Refuse a `max_tokens` that is not a JSON number with a 4xx.',
    async run({ probe, expect }) {
      for (const value of ['many', '', true, [], [5], {}]) {
        const answer = await probe({ max_tokens: value })
        expect(`status for max_tokens: ${JSON.stringify(value)}`, answer.status, answer).satisfies(
          'a 4xx',
          isClientError(answer),
        )
      }
    },
  }),
])
