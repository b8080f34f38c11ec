import { askAtLength, askingBytes, bytesThatFit, sampleBytes, windowShare } from '../../src/asking/large-prompt.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { contextWindowAtPrice } from '../../src/contract/bounds.ts'
import { at, listAt, numberAt } from '../../src/json.ts'
import { type Answer, isSuccess } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'

/** More than the smaller of the contract's windows. */
const manyTokens = 70_000
const sampleTokens = 10_000
/** More than any of the contract's windows. */
const hugeBytes = 1_000_000

/** The answer to a prompt of 1 MB, asked once for all checks that use it. */
function askTooMuch({ once, settled, model }: CheckContext): Promise<Answer> {
  return once('a prompt of 1 MB', () => settled(chatRequest(model, askingBytes(hugeBytes))))
}

export const contextWindow = clause('8', [
  must('window.large-body-accepted', {
    states: ['context-window'],
    needs: ['costly'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 200_000 },
    wrong: 'A prompt that fits the context window got no reply.',
    coversNoReply: true,
    why: "Coding agents send hundreds of kilobytes, and are refused by a web framework's default limit.",
    fix: "Limit bodies by the context window, not by the framework's default.",
    async run(context) {
      const { ask, expect, notApplicable } = context
      const most = await bytesThatFit(context)
      const sizes = [20_000, 120_000, Math.min(most, 1_200_000)].filter((size) => size <= most && size >= sampleBytes)
      if (sizes.length === 0) throw notApplicable('the window is too small to be worth testing')
      for (const size of sizes) {
        const reply = await askAtLength(context, ask, askingBytes, size)
        expect(`choices for a prompt of ${size} bytes`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      }
    },
  }),
  must('window.each-model', {
    states: ['context-window'],
    needs: ['costly'],
    phase: 'odd',
    dependsOn: ['window.large-body-accepted', 'reply.model-each'],
    cost: { requests: 4, tokens: 220_000 },
    wrong: 'A model gave no reply to a prompt that fits its context window.',
    coversNoReply: true,
    why: 'Clients of a large model are refused when its window is looked up under the wrong name.',
    fix: 'Store the window of each model with its price.',
    async run(context) {
      const { ask, prepared, model, expect, notApplicable } = context
      const bytesPerToken = (await bytesThatFit(context, sampleTokens)) / sampleTokens
      // A model's price shows its tier, if no other model has the same price.
      const isTier = (price: number | undefined): boolean =>
        prepared.roster.filter(({ promptPrice }) => promptPrice === price).length === 1
      const others = prepared.roster.flatMap(({ id, promptPrice }) => {
        const window = contextWindowAtPrice(promptPrice)
        return id === model || window === undefined || !isTier(promptPrice)
          ? []
          : [{ id, tokens: Math.min(manyTokens, window * windowShare) }]
      })
      if (others.length === 0) throw notApplicable('the list names no other model whose window the contract gives')
      for (const { id, tokens } of others.slice(0, 3)) {
        const bodyOf = (bytes: number) => ({ ...askingBytes(bytes), model: id })
        const reply = await askAtLength(context, ask, bodyOf, Math.floor(bytesPerToken * tokens))
        expect(
          `choices of ${id} for some ${Math.floor(tokens)} tokens`,
          listAt(reply.json, 'choices').length,
          reply,
        ).isAtLeast(1)
      }
    },
  }),
  must('window.large-body-accepted-streaming', {
    states: ['context-window'],
    needs: ['costly'],
    phase: 'odd',
    dependsOn: ['window.large-body-accepted', 'stream.answers'],
    cost: { requests: 2, tokens: 35_000 },
    wrong: 'A large prompt that fits the context window got no stream of events.',
    coversNoReply: true,
    why: 'Streaming clients are refused when that path has a smaller limit of its own.',
    fix: 'Limit bodies by the context window in both modes.',
    async run(context) {
      const { askStream, expect, notApplicable } = context
      const size = Math.min(120_000, await bytesThatFit(context))
      if (size < sampleBytes) throw notApplicable('the window is too small to be worth testing')
      const stream = await askAtLength(context, askStream, askingBytes, size)
      expect(`data events for a prompt of ${size} bytes`, stream.chunks.length, stream).isAtLeast(1)
    },
  }),
  should('window.large-prompt-counted-whole', {
    states: ['prompt-tokens-counted', 'context-window'],
    needs: ['costly'],
    phase: 'odd',
    dependsOn: ['window.large-body-accepted'],
    cost: { requests: 3, tokens: 110_000 },
    wrong: 'A prompt twice as long counts less than 1.8 times the tokens.',
    why: 'A client whose prompt is silently cut gets the answer to another question.',
    fix: 'Pass on the whole prompt, or refuse it.',
    async run(context) {
      const { ask, expect, notApplicable } = context
      // Beyond what two bytes can count, if the window has room for it.
      const size = await bytesThatFit(context, 72_000)
      if (size < sampleBytes * 2) throw notApplicable('the window is too small for two sizes')
      const tokensOf = ({ json }: Answer): number => numberAt(json, 'usage', 'prompt_tokens') ?? 0
      const half = tokensOf(await askAtLength(context, ask, askingBytes, size / 2))
      const whole = await askAtLength(context, ask, askingBytes, size)
      expect(`prompt_tokens for ${size} bytes, of which half count ${half}`, tokensOf(whole), whole).isAtLeast(
        Math.floor(half * 1.8),
      )
    },
  }),
  should('window.oversize-graceful', {
    states: ['client-errors-are-4xx'],
    needs: ['costly'],
    dependsOn: ['chat.answers'],
    phase: 'heavy',
    cost: { requests: 3, tokens: 260_000 },
    wrong: 'A prompt of 1 MB got neither a 2xx nor a 4xx, or a request beside it failed.',
    coversNoReply: true,
    why: "One client's oversized prompt must neither crash the server nor stall others.",
    fix: 'Refuse what is too large with a 4xx, before a node sees it.',
    async run(context) {
      const { ask, expect } = context
      const [answer, other] = await Promise.all([askTooMuch(context), ask()])
      const cut = answer.status === undefined && answer.exchange.ending === 'reset'
      if (!cut) expect('status for a prompt of 1 MB', answer.status, answer).isStatus('2xx', '4xx')
      expect('status of a plain request beside a prompt of 1 MB', other.status, other).is(200)
    },
  }),
  should('window.excess-counted-whole', {
    states: ['prompt-tokens-counted', 'context-window'],
    needs: ['costly'],
    dependsOn: ['window.oversize-graceful', 'window.large-prompt-counted-whole'],
    phase: 'heavy',
    cost: { requests: 2, tokens: 223_000 },
    wrong: 'A prompt of 1 MB was served, but counted in part or cut off without a token.',
    why: 'A client whose prompt is silently cut to the window gets the answer to another question.',
    fix: 'Refuse a prompt that does not fit.',
    async run(context) {
      const { ask, expect, notApplicable } = context
      const answer = await askTooMuch(context)
      const used = numberAt(answer.json, 'usage', 'prompt_tokens')
      if (!isSuccess(answer)) throw notApplicable('the gateway does not serve a prompt of 1 MB')
      if (used === undefined) throw notApplicable('the reply to a prompt of 1 MB does not count it')
      const sample = numberAt((await ask(askingBytes(sampleBytes))).json, 'usage', 'prompt_tokens') ?? 0
      const share = used / ((sample * hugeBytes) / sampleBytes)
      expect('counted share of a prompt of 1 MB, judging by one of 10 KB', share, answer).isAtLeast(0.7)
      const isCut = at(answer.json, 'choices', 0, 'finish_reason') === 'length'
      const completionTokens = numberAt(answer.json, 'usage', 'completion_tokens') ?? 1
      expect(
        'completion_tokens of a reply to 1 MB that says it was cut off',
        isCut ? completionTokens : 1,
        answer,
      ).isAtLeast(1)
    },
  }),
  open('window.excess', {
    states: ['window-excess-open'],
    dependsOn: ['chat.answers'],
    phase: 'heavy',
    cost: { requests: 1, tokens: 160 },
    why: 'Clients want to know whether a limit beyond the window is refused or reduced.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ probeStream }) {
      const answer = await probeStream({ max_tokens: 10_000_000 }, { leaveAfterContent: 20, replyTokens: 20 })
      return { status: answer.status ?? answer.exchange.ending, body: answer.text.slice(0, 200) }
    },
  }),
])
