import { clause, open, should } from '../../src/check/check.ts'
import { numberAt } from '../../src/json.ts'
import { isClientError, isSuccess } from '../../src/target/answer.ts'
import { chatText, unlimitedTokens } from '../../src/target/chat.ts'

const longPrompt = {
  messages: [
    { role: 'user', content: 'Tell the story of a lighthouse and of those who kept it, in ten long sentences.' },
  ],
}

/** A limit as it stands in the JSON text: some of these are not JavaScript values. A gateway may ignore any of them. */
function withLimit(model: string, literal: string): string {
  return chatText(model, { max_tokens: 'LITERAL' }).replace('"LITERAL"', literal)
}

export const maxTokensOdd = clause('2.1', [
  should('max-tokens.odd-values-graceful', {
    states: ['client-errors-are-4xx'],
    dependsOn: ['chat.answers'],
    cost: { requests: 9, tokens: 900 },
    why: 'Clients that send zero have been given no limit at all, and huge numbers have overflowed quota checks.',
    fix: 'Refuse anything but a positive whole number with a 4xx, and clamp or refuse what the window cannot hold.',
    async run({ probe, model, expect }) {
      for (const literal of [
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
      ]) {
        const answer = await probe(withLimit(model, literal), { replyTokens: unlimitedTokens })
        const graceful = isSuccess(answer) || isClientError(answer)
        expect(`status for max_tokens: ${literal}`, answer.status, answer).satisfies('2xx or 4xx', graceful)
      }
    },
  }),
  should('max-tokens.zero-is-not-unlimited', {
    states: ['max-tokens-limits'],
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 900 },
    why: 'A client that asked for zero tokens pays for a whole reply where zero is read as "absent".',
    fix: 'Refuse zero and negative limits with a 4xx, or generate next to nothing.',
    async run({ probe, expect }) {
      for (const limit of [0, -1, 0.5]) {
        const answer = await probe({ ...longPrompt, max_tokens: limit })
        const tokens = isSuccess(answer) ? (numberAt(answer.json, 'usage', 'completion_tokens') ?? 0) : 0
        // -1 is widely read as "no limit", which the contract leaves open.
        if (limit !== -1) expect(`completion_tokens for max_tokens: ${limit}`, tokens, answer).isAtMost(1)
        else
          expect(`status for max_tokens: ${limit}`, answer.status, answer).satisfies(
            '2xx or 4xx',
            isSuccess(answer) || isClientError(answer),
          )
      }
    },
  }),
  open('max-tokens.odd-values', {
    states: ['max-tokens-bounds-open'],
    dependsOn: ['chat.answers'],
    cost: { requests: 7, tokens: 900 },
    why: 'The contract names no bounds of `max_tokens`, and many languages do not read `7.0` as a whole number.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ probe, model }) {
      const seen: Record<string, unknown> = {}
      for (const limit of ['0', '-1', '1.5', '7.0', '1e1', '"7"', '2147483647', '9007199254740992']) {
        const answer = await probe(withLimit(model, limit), { replyTokens: unlimitedTokens })
        seen[limit] = { status: answer.status, completionTokens: numberAt(answer.json, 'usage', 'completion_tokens') }
      }
      return seen
    },
  }),
])
