import { askAtLength, askingBytes, bytesThatFit, sampleBytes, windowShare } from '../../src/asking/large-prompt.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { contextWindowAtPrice } from '../../src/contract/bounds.ts'
import { at, listAt, numberAt } from '../../src/json.ts'
import { type Answer, isClientError, isSuccess } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'

/** More than the smaller of the contract's windows. */
const manyTokens = 70_000
const sampleTokens = 10_000
/** More than any of the contract's windows. */
const hugeBytes = 1_000_000

/** The answer to a prompt of 1 MB, asked once for all checks that look at it. */
function askTooMuch({ once, settled, model }: CheckContext): Promise<Answer> {
  return once('a prompt of 1 MB', () => settled(chatRequest(model, askingBytes(hugeBytes))))
}

export const contextWindow = clause('8', [
  must('window.large-body-accepted', {
    states: ['context-window'],
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 200_000 },
    why: 'Coding agents send hundreds of kilobytes; the default limit of a web framework cuts them off far below the window.',
    fix: 'Bound bodies by the context window, not by the default of the framework.',
    async run(context) {
      const { ask, expect, notApplicable } = context
      const most = await bytesThatFit(context)
      const sizes = [20_000, 120_000, Math.min(most, 1_200_000)].filter((size) => size <= most && size >= sampleBytes)
      if (sizes.length === 0) throw notApplicable('the window is smaller than any size worth a question')
      for (const size of sizes) {
        const reply = await askAtLength(context, ask, askingBytes, size)
        expect(`choices for a prompt of ${size} bytes`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      }
    },
  }),
  must('window.each-model', {
    states: ['context-window'],
    dependsOn: ['window.large-body-accepted', 'reply.model-each'],
    cost: { requests: 4, tokens: 220_000 },
    why: 'A window that is looked up under the wrong name refuses what another model could hold.',
    fix: 'Keep the window of each model beside its price.',
    async run(context) {
      const { ask, prepared, model, expect, notApplicable } = context
      const bytesPerToken = (await bytesThatFit(context, sampleTokens)) / sampleTokens
      // Which tier a model is of shows by its price, where no other model has the same.
      const isTier = (price: number | undefined): boolean =>
        prepared.roster.filter(({ promptPrice }) => promptPrice === price).length === 1
      const others = prepared.roster.flatMap(({ id, promptPrice }) => {
        const window = contextWindowAtPrice(promptPrice)
        return id === model || window === undefined || !isTier(promptPrice)
          ? []
          : [{ id, tokens: Math.min(manyTokens, window * windowShare) }]
      })
      if (others.length === 0) throw notApplicable('the list names no other model whose window the contract knows')
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
    dependsOn: ['window.large-body-accepted', 'stream.answers'],
    cost: { requests: 2, tokens: 35_000 },
    why: 'The streaming path may have a limit of its own.',
    fix: 'Bound bodies by the context window in both modes.',
    async run(context) {
      const { askStream, expect, notApplicable } = context
      const size = Math.min(120_000, await bytesThatFit(context))
      if (size < sampleBytes) throw notApplicable('the window is smaller than any size worth a question')
      const stream = await askAtLength(context, askStream, askingBytes, size)
      expect(`data events for a prompt of ${size} bytes`, stream.chunks.length, stream).isAtLeast(1)
    },
  }),
  should('window.large-prompt-counted-whole', {
    states: ['prompt-tokens-counted', 'context-window'],
    dependsOn: ['window.large-body-accepted'],
    cost: { requests: 3, tokens: 110_000 },
    why: 'A prompt that is cut in silence gets the answer to another question.',
    fix: 'Pass the whole prompt on, or refuse it.',
    async run(context) {
      const { ask, expect, notApplicable } = context
      // Beyond what two bytes can count, where the window has room for it.
      const size = await bytesThatFit(context, 72_000)
      if (size < sampleBytes * 2) throw notApplicable('the window is too small for two sizes')
      const tokensOf = ({ json }: Answer): number => numberAt(json, 'usage', 'prompt_tokens') ?? 0
      const half = tokensOf(await askAtLength(context, ask, askingBytes, size / 2))
      const whole = await askAtLength(context, ask, askingBytes, size)
      expect(`prompt_tokens for ${size} bytes, where half of them count ${half}`, tokensOf(whole), whole).isAtLeast(
        Math.floor(half * 1.8),
      )
    },
  }),
  should('window.oversize-graceful', {
    states: ['client-errors-are-4xx'],
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 260_000 },
    why: 'A prompt that can not fit must neither crash the server nor stall the others.',
    fix: 'Refuse what is too large with a 4xx, before a node sees it.',
    async run(context) {
      const { ask, expect } = context
      const [answer, other] = await Promise.all([askTooMuch(context), ask()])
      const cut = answer.status === undefined && answer.exchange.ending === 'reset'
      expect('status for a prompt of 1 MB', answer.status, answer).satisfies(
        '2xx, 4xx or a cut upload',
        isSuccess(answer) || isClientError(answer) || cut,
      )
      expect('status of a plain request beside it', other.status, other).is(200)
    },
  }),
  should('window.excess-counted-whole', {
    states: ['prompt-tokens-counted', 'context-window'],
    dependsOn: ['window.oversize-graceful', 'window.large-prompt-counted-whole'],
    cost: { requests: 2, tokens: 223_000 },
    why: 'A prompt that is cut to the window in silence gets the answer to another question.',
    fix: 'Refuse what does not fit.',
    async run(context) {
      const { ask, expect, notApplicable } = context
      const answer = await askTooMuch(context)
      const used = numberAt(answer.json, 'usage', 'prompt_tokens')
      if (!isSuccess(answer) || used === undefined) throw notApplicable('the gateway does not serve a prompt of 1 MB')
      const sample = numberAt((await ask(askingBytes(sampleBytes))).json, 'usage', 'prompt_tokens') ?? 0
      const share = used / ((sample * hugeBytes) / sampleBytes)
      expect('share of a prompt of 1 MB that was counted, by the count of one of 10 KB', share, answer).isAtLeast(0.7)
      const isCut = at(answer.json, 'choices', 0, 'finish_reason') === 'length'
      const said = numberAt(answer.json, 'usage', 'completion_tokens') ?? 1
      expect('completion_tokens of a reply to it that says to be cut', isCut ? said : 1, answer).isAtLeast(1)
    },
  }),
  open('window.excess', {
    states: ['window-excess-open'],
    dependsOn: ['chat.answers'],
    why: 'Whether a limit beyond the window is refused or cut to size is left open.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ probe }) {
      const answer = await probe({ max_tokens: 10_000_000 })
      return { status: answer.status ?? answer.exchange.ending, body: answer.text.slice(0, 200) }
    },
  }),
])
