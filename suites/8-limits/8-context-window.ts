import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { askAtLength } from '../../src/check/slow-reading.ts'
import { contextWindowAtPrice } from '../../src/contract/bounds.ts'
import { type Answer, isClientError, isSuccess } from '../../src/target/answer.ts'
import { listAt, numberAt } from '../../src/target/json.ts'

const sentence = 'The quick brown fox jumps over the lazy dog near the river bank. '
/** A tenth of the window is left for template tokens and for the counting of others. */
const windowShare = 0.9
const sampleBytes = 10_000

const ofBytes = (bytes: number): string => sentence.repeat(Math.ceil(bytes / sentence.length)).slice(0, bytes)
const asking = (content: string) => ({ messages: [{ role: 'user', content }], max_tokens: 2 })
const askingBytes = (bytes: number) => asking(ofBytes(bytes))

/** Bytes of plain English that fill a share of the window, by the target's own count on a sample. */
async function bytesThatFit(context: CheckContext): Promise<number> {
  const { ask, prepared, target, model, undecidable } = context
  const price = prepared.roster.find(({ id }) => id === model)?.promptPrice
  const window = target.config.contextWindow ?? contextWindowAtPrice(price)
  if (window === undefined) throw undecidable('the window of the model is not known: pass --context-window')
  const sample = await askAtLength(context, ask, askingBytes, sampleBytes)
  const tokens = numberAt(sample.json, 'usage', 'prompt_tokens') ?? 0
  if (tokens < sampleBytes / 100) throw undecidable('usage counts too few prompt tokens to reckon with')
  return Math.floor((sampleBytes / tokens) * window * windowShare)
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
    cost: { requests: 3, tokens: 60_000 },
    why: 'A prompt that is cut in silence gets the answer to another question.',
    fix: 'Pass the whole prompt on, or refuse it.',
    async run(context) {
      const { ask, expect, notApplicable } = context
      const size = Math.min(100_000, await bytesThatFit(context))
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
    async run({ settled, ask, model, expect }) {
      const body = JSON.stringify({ model, ...asking(ofBytes(1_000_000)) })
      const [answer, other] = await Promise.all([settled({ method: 'POST', path: '/chat/completions', body }), ask()])
      const cut = answer.status === undefined && answer.exchange.ending === 'reset'
      expect('status for a prompt of 1 MB', answer.status, answer).satisfies(
        '2xx, 4xx or a cut upload',
        isSuccess(answer) || isClientError(answer) || cut,
      )
      expect('status of a plain request beside it', other.status, other).is(200)
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
