import { clause, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { numberAt } from '../../src/json.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { type Answer, contentChunks, isClientError, isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import { charsPerTokenMax, chatText, unlimitedTokens } from '../../src/target/chat.ts'

/**
 * A limit that is none may let a reply go on for as long as the context window has room, so each is asked for as a stream
 * first, and that is left after more pieces than a limit of one token can have.
 */
const enough = { leaveAfterContent: 20, replyTokens: 20, isUnbounded: true } as const

/** For the other mode, once a stream has shown its end. */
const inFull = { replyTokens: unlimitedTokens, isUnbounded: true } as const

/** Whether the reply to the same request has an end in sight in the other mode as well. */
function isShort(stream: StreamAnswer): boolean {
  return isClientError(stream) || (isSuccess(stream) && stream.done)
}

const longPrompt = {
  messages: [
    { role: 'user', content: 'Tell the story of a lighthouse and of those who kept it, in ten long sentences.' },
  ],
}

/** A limit as it stands in the JSON text: some of these are not JavaScript values. A gateway may ignore any of them. */
function withLimit(model: string, literal: string, stream: boolean): string {
  return chatText(model, { max_tokens: 'LITERAL', stream }).replace('"LITERAL"', literal)
}

/** What an odd limit brings, asked once a run: its reply may have no end. */
function streamWithLimit({ once, probeStream, model }: CheckContext, literal: string): Promise<StreamAnswer> {
  return once(`a stream with max_tokens: ${literal}`, () => probeStream(withLimit(model, literal, true), enough))
}

export const maxTokensOdd = clause('2.1', [
  should('max-tokens.odd-values-graceful', {
    states: ['client-errors-are-4xx'],
    dependsOn: ['stream.answers'],
    // Not all of these texts are JSON.
    sameCauseAs: ['http.malformed-json-refused'],
    phase: 'heavy',
    cost: { requests: 28, tokens: 1800, quick: 4 },
    wrong: 'An odd max_tokens, such as 0 or 1e308, got neither a 2xx nor a 4xx.',
    why: 'Clients that send zero have been given no limit at all, and huge numbers have overflowed quota checks.',
    fix: 'Refuse anything but a positive whole number with a 4xx, and clamp or refuse what the window cannot hold.',
    async run(context) {
      const { few, probe, model, expect } = context
      const look = (what: string, answer: Answer) =>
        expect(`status for max_tokens: ${what}`, answer.status, answer).isStatus('2xx', '4xx')
      const short: string[] = []
      for (const literal of few([
        '0',
        '-1',
        '-5',
        '1.5',
        '0.5',
        '7.0',
        '1e1',
        '2147483647',
        '4294967296',
        '9007199254740992',
        '1e308',
        '1e999',
        'NaN',
        'null',
      ])) {
        const stream = await streamWithLimit(context, literal)
        look(`${literal}, streaming`, stream)
        if (isShort(stream)) short.push(literal)
      }
      await sideBySide(short, async (literal) => look(literal, await probe(withLimit(model, literal, false), inFull)))
    },
  }),
  should('max-tokens.zero-is-not-unlimited', {
    states: ['max-tokens-limits'],
    dependsOn: ['max-tokens.limits-the-stream', 'stream.answers'],
    phase: 'heavy',
    cost: { requests: 5, tokens: 900, quick: 4 },
    wrong: 'A max_tokens of 0 or 0.5 let more than a token through, or -1 got no 2xx or 4xx.',
    why: 'A client that asked for zero tokens pays for a whole reply where zero is read as "absent".',
    fix: 'Refuse zero and negative limits with a 4xx, or generate next to nothing.',
    async run({ few, probe, probeStream, expect, undecidable }) {
      let failure: string | undefined
      let decided = 0
      for (const limit of few([0, -1, 0.5])) {
        const what = `max_tokens: ${limit}`
        const stream = await probeStream({ ...longPrompt, max_tokens: limit }, enough)
        const isAnswered = isSuccess(stream) || isClientError(stream)
        // -1 is widely read as "no limit", which the contract leaves open.
        if (limit === -1) {
          expect(`status for ${what}`, stream.status, stream).isStatus('2xx', '4xx')
          continue
        }
        if (!isAnswered) {
          failure = `a stream with ${what} was answered with ${stream.status ?? 'nothing'}`
          continue
        }
        decided += 1
        expect(`pieces of text for ${what}`, contentChunks(stream).length, stream).isAtMost(1)
        expect(`characters for ${what}`, stream.content.length, stream).isAtMost(charsPerTokenMax)
        const reply = await probe({ ...longPrompt, max_tokens: limit })
        const tokens = isSuccess(reply) ? (numberAt(reply.json, 'usage', 'completion_tokens') ?? 0) : 0
        expect(`completion_tokens for ${what}`, tokens, reply).isAtMost(1)
      }
      if (decided === 0 && failure !== undefined) throw undecidable(failure)
    },
  }),
  open('max-tokens.odd-values', {
    states: ['max-tokens-bounds-open'],
    dependsOn: ['stream.answers'],
    phase: 'heavy',
    cost: { requests: 8, tokens: 900 },
    why: 'The contract names no bounds of `max_tokens`, and many languages do not read `7.0` as a whole number.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run(context) {
      const seen: Record<string, unknown> = {}
      for (const limit of ['0', '-1', '1.5', '7.0', '1e1', '"7"', '2147483647', '9007199254740992']) {
        const answer = await streamWithLimit(context, limit)
        seen[limit] = { status: answer.status, piecesOfText: contentChunks(answer).length }
      }
      return seen
    },
  }),
])
