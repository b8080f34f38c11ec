import { baselineOf, whyUnstable } from '../../src/asking/baseline.ts'
import { holdExpectedText } from '../../src/asking/expected-text.ts'
import { clause, must, should } from '../../src/check/check.ts'
import { usageSchema } from '../../src/contract/chat-completion.ts'
import { mismatches } from '../../src/contract/schema.ts'
import { at, isRecord, numberAt } from '../../src/json.ts'
import { type Answer, contentOf, isSuccess } from '../../src/target/answer.ts'

const sentence = 'The quick brown fox jumps over the lazy dog near the river bank. '
const ask = (content: string) => ({ messages: [{ role: 'user', content }], max_tokens: 4 })
const promptTokens = (reply: Answer): number => numberAt(reply.json, 'usage', 'prompt_tokens') ?? 0

const counted = {
  why: 'Prompt tokens are billed: missed ones cost the service, and those counted twice cost the client.',
  fix: 'Count the tokens of every message of the request, once.',
}

/** A model may think besides writing its text; more than this would be a reply of its own. */
const hiddenTokensMax = 32

/** Where bytes are tokens, a limit below this sometimes leaves no room for a letter. */
const bytesOfLetterMax = 4

export const usage = clause('2.3', [
  must('usage.present', {
    states: ['usage-counts'],
    phase: 'first',
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 90 },
    wrong: 'The usage of a reply is missing or malformed.',
    why: 'Clients cannot compute their cost without the three counts.',
    fix: 'Return `usage` with prompt_tokens, completion_tokens and total_tokens, each a whole number.',
    async run({ ask: send, expect }) {
      for (const body of [{}, { max_tokens: 1 }]) {
        const reply = await send(body)
        expect('schema violations of usage', mismatches(usageSchema, at(reply.json, 'usage')), reply).is([])
      }
    },
  }),
  must('usage.whole-numbers', {
    states: ['usage-counts'],
    dependsOn: ['usage.present'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'A count in usage is not written as a whole number.',
    why: 'Typed clients refuse 12.0 and "12" where they expect an integer.',
    fix: 'Write the counts as integers, without a fraction or an exponent.',
    async run({ samples, expect }) {
      for (const { answer } of (await samples.replies()).filter(({ answer: one }) => isRecord(one.json))) {
        for (const name of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
          // Only the text shows the spelling; a name written with escapes is read by its parsed value.
          const written = new RegExp(`"${name}"\\s*:\\s*("[^"]*"|[^\\s,}\\]]+)`).exec(answer.text)?.[1]
          expect(`${name}, as written`, written ?? String(at(answer.json, 'usage', name)), answer).matches(/^\d+$/)
        }
      }
    },
  }),
  should('usage.total-is-sum', {
    states: ['usage-total'],
    dependsOn: ['usage.present'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'A total_tokens is not the sum of the other two counts.',
    why: 'Users see their quota tools disagree, because some add up the parts and some read the total.',
    fix: 'Set total_tokens to prompt_tokens + completion_tokens.',
    async run({ samples, expect }) {
      for (const { answer } of (await samples.replies()).filter(({ answer: one }) => isRecord(one.json))) {
        const sum = promptTokens(answer) + (numberAt(answer.json, 'usage', 'completion_tokens') ?? 0)
        expect('total_tokens', numberAt(answer.json, 'usage', 'total_tokens'), answer).is(sum)
      }
    },
  }),
  must('usage.prompt-counted', {
    states: ['prompt-tokens-counted'],
    phase: 'first',
    dependsOn: ['usage.present'],
    wrong: 'A reply counts no prompt tokens.',
    why: 'The service gives away every prompt that counts as nothing.',
    fix: counted.fix,
    async run({ ask: send, expect }) {
      const reply = await send(ask('Say hello to the harbour master.'))
      expect('prompt_tokens', promptTokens(reply), reply).isAtLeast(1)
    },
  }),
  should('usage.cut-reply-has-tokens', {
    states: ['completion-tokens-counted', 'finish-reason-length'],
    dependsOn: ['usage.completion-counted'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'A reply cut off by its limit counts no completion tokens.',
    why: 'A client told that its limit cut off a reply of zero tokens never got a reply at all.',
    fix: 'Generate as many tokens as the limit allows, down to one.',
    async run({ samples, expect, notApplicable }) {
      const cut = (await samples.replies()).filter(
        ({ answer }) => at(answer.json, 'choices', 0, 'finish_reason') === 'length',
      )
      if (cut.length === 0) throw notApplicable('no reply says `length`')
      const tokens = ({ answer }: (typeof cut)[number]): number =>
        numberAt(answer.json, 'usage', 'completion_tokens') ?? 1
      const limitOf = ({ asked }: (typeof cut)[number]): number => Number(asked['max_tokens'])
      const hadRoom = new Set(cut.filter((reply) => tokens(reply) > 0).map(limitOf))
      for (const reply of cut) {
        if (tokens(reply) === 0 && limitOf(reply) < bytesOfLetterMax && hadRoom.has(limitOf(reply))) continue
        expect('completion_tokens of a reply cut off by a limit', tokens(reply), reply.answer).isAtLeast(1)
      }
    },
  }),
  must('usage.completion-counted', {
    states: ['completion-tokens-counted'],
    dependsOn: ['usage.present'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: 'A reply with text counts no completion tokens.',
    why: 'The service gives away every reply that counts as nothing.',
    fix: 'Count the tokens that the node generated.',
    async run({ samples, expect, notApplicable }) {
      const spoken = (await samples.replies()).filter(({ answer }) => (contentOf(answer) ?? '') !== '')
      if (spoken.length === 0) throw notApplicable('no reply has any text')
      for (const { answer } of spoken) {
        expect(
          'completion_tokens of a reply with text',
          numberAt(answer.json, 'usage', 'completion_tokens') ?? 0,
          answer,
        ).isAtLeast(1)
      }
    },
  }),
  must('usage.longer-prompt-costs-more', {
    states: ['prompt-tokens-counted'],
    dependsOn: ['usage.prompt-counted'],
    cost: { requests: 4, tokens: 2400 },
    wrong: 'A longer prompt counts too few additional prompt tokens.',
    ...counted,
    async run({ ask: send, expect }) {
      let previous = promptTokens(await send(ask('Hi.')))
      for (const times of [2, 12, 60]) {
        const reply = await send(ask(sentence.repeat(times)))
        expect(
          `prompt_tokens for ${times} sentences, against ${previous} for fewer`,
          promptTokens(reply),
          reply,
        ).isAtLeast(previous + times)
        previous = promptTokens(reply)
      }
    },
  }),
  must('usage.history-counts', {
    states: ['prompt-tokens-counted'],
    dependsOn: ['message.roles-accepted', 'usage.prompt-counted'],
    sameCauseAs: ['usage.longer-prompt-costs-more', 'relay.messages-unchanged'],
    cost: { requests: 6, tokens: 1600, quick: 5 },
    wrong: 'Earlier messages of a conversation count too few prompt tokens.',
    ...counted,
    async run({ few, ask: send, expect }) {
      const question = { role: 'user', content: 'And then?' }
      const questionOnly = promptTokens(await send({ messages: [question], max_tokens: 4 }))
      const long = sentence.repeat(5)
      for (const role of few(['user', 'assistant'])) {
        const messages = [
          { role: 'user', content: role === 'user' ? long : 'Tell me a story.' },
          { role: 'assistant', content: role === 'user' ? 'Well.' : long },
          question,
        ]
        const reply = await send({ messages, max_tokens: 4 })
        expect(
          `prompt_tokens with a ${role} message of five sentences before it, against ${questionOnly} without`,
          promptTokens(reply),
          reply,
        ).isAtLeast(questionOnly + 15)
      }
      let before = questionOnly
      for (const turns of few([6, 20, 60])) {
        const messages = Array.from({ length: turns }, (_, turn) => ({
          role: turn % 2 === 0 ? 'user' : 'assistant',
          content: 'And then the tide came in again.',
        }))
        const reply = await send({ messages: [...messages, question], max_tokens: 4 })
        expect(`prompt_tokens with ${turns} messages before it`, promptTokens(reply), reply).isAtLeast(before + turns)
        before = promptTokens(reply)
      }
    },
  }),
  must('usage.system-counts', {
    states: ['prompt-tokens-counted'],
    dependsOn: ['message.roles-accepted', 'usage.prompt-counted'],
    sameCauseAs: ['usage.longer-prompt-costs-more', 'usage.history-counts'],
    cost: { requests: 3, tokens: 300 },
    wrong: 'A system message counts too few prompt tokens.',
    why: "A system message that does not count was probably dropped, and the client's rules with it.",
    fix: counted.fix,
    async run({ ask: send, probe, expect }) {
      const question = { role: 'user', content: 'And then?' }
      const system = { role: 'system', content: sentence.repeat(5) }
      const questionOnly = promptTokens(await send({ messages: [question], max_tokens: 4 }))
      const reply = await send({ messages: [system, question], max_tokens: 4 })
      const what = 'prompt_tokens with a system message of five sentences'
      expect(`${what}, against ${questionOnly} without`, promptTokens(reply), reply).isAtLeast(questionOnly + 15)
      const two = await probe({ messages: [system, { role: 'system', content: 'Be brief.' }, question], max_tokens: 4 })
      // Another check tells that two of them are refused.
      if (isSuccess(two))
        expect(`${what} before another, against ${questionOnly} without`, promptTokens(two), two).isAtLeast(
          questionOnly + 15,
        )
    },
  }),
  must('usage.every-script-counts', {
    states: ['prompt-tokens-counted'],
    dependsOn: ['usage.longer-prompt-costs-more'],
    cost: { requests: 4, tokens: 1200, quick: 3 },
    wrong: 'Japanese or Cyrillic text counts too few prompt tokens.',
    ...counted,
    async run({ ask: send, expect }) {
      const few = promptTokens(await send(ask(`日${' '.repeat(80)}`)))
      // A gateway that counts words finds some in these too.
      for (const text of ['日本語 ', 'привет ']) {
        const reply = await send(ask(text.repeat(80)))
        expect(
          `prompt_tokens for 80 times "${text}", against ${few} for one letter and 80 spaces`,
          promptTokens(reply),
          reply,
        ).isAtLeast(few + 40)
      }
    },
  }),
  should('usage.same-prompt-same-count', {
    states: ['prompt-tokens-counted'],
    dependsOn: ['usage.longer-prompt-costs-more'],
    cost: { requests: 4, tokens: 400 },
    wrong: 'The same prompt got different counts of prompt tokens.',
    why: 'A client should not pay more for the same question the second time.',
    fix: 'Count only this request, and nothing from before it.',
    async run({ ask: send, expect }) {
      const body = ask(sentence.repeat(3))
      const first = promptTokens(await send(body))
      for (const more of [{}, { temperature: 0.5 }, { max_tokens: 9 }]) {
        const reply = await send({ ...body, ...more })
        expect(`prompt_tokens of the same prompt with ${JSON.stringify(more)}`, promptTokens(reply), reply).is(first)
      }
    },
  }),
  should('usage.stream-agrees-with-reply', {
    states: ['stream-usage-open', 'prompt-tokens-counted'],
    dependsOn: ['usage.prompt-counted', 'stream.answers'],
    cost: { requests: 2, tokens: 300 },
    wrong: 'A stream and a reply to the same request count different prompt tokens.',
    why: 'Clients see two prices for the same question when the streaming path only estimates.',
    fix: 'Use the same count in both modes.',
    async run({ ask: send, probeStream, expect, notApplicable }) {
      const body = ask(sentence.repeat(4))
      const stream = await probeStream({ ...body, stream_options: { include_usage: true } })
      if (!isSuccess(stream))
        throw notApplicable(`a stream with stream_options was answered with ${stream.status ?? 'nothing'}`)
      const streamed = stream.chunks
        .map(({ json }) => numberAt(json, 'usage', 'prompt_tokens'))
        .findLast((count) => count !== undefined)
      if (streamed === undefined) throw notApplicable('the stream reports no usage, which the contract leaves open')
      expect('prompt_tokens of the stream', streamed, stream).is(promptTokens(await send(body)))
    },
  }),
  should('usage.count-agrees-with-limit', {
    states: ['completion-tokens-counted'],
    dependsOn: ['usage.present', 'max-tokens.limits-the-text', 'max-tokens.own-limit-per-request'],
    sameCauseAs: ['usage.is-not-the-limit'],
    cost: { requests: 8, tokens: 900, quick: 3 },
    wrong: "A reply's completion_tokens do not match the limit under which it fits.",
    why: 'A client is billed wrongly, or cut off early, when the limit and the bill count differently.',
    fix: 'Report the same count that is compared with the limit.',
    async run(context) {
      const { ask: send, expect, undecidable } = context
      const baseline = await baselineOf(context, 'json')
      const { body, stable } = baseline
      if (stable === undefined) throw undecidable(whyUnstable(baseline))
      const long = { ...body, max_tokens: 400 }
      const whole = await send(long)
      const text = contentOf(whole) ?? ''
      const count = numberAt(whole.json, 'usage', 'completion_tokens') ?? 0
      const isWhole = at(whole.json, 'choices', 0, 'finish_reason') === 'stop' && count < long.max_tokens
      if (!isWhole || count < 24 || !text.startsWith(stable))
        throw undecidable('the model ends no reply of some length by itself')
      // Some tokens may be hidden, but not half of a long reply.
      if (count >= hiddenTokensMax * 2) {
        const less = await send({ ...body, max_tokens: Math.ceil(count / 2) })
        expect(`whether half of the ${count} reported tokens are the whole text`, contentOf(less) === text, less).is(
          false,
        )
      }
      await holdExpectedText(context, 'json', {
        what: `text within the ${count} tokens reported for it`,
        body: long,
        plain: text,
        change: { max_tokens: Math.ceil(count * 1.1) + 2 },
        expected: text,
      })
    },
  }),
])
