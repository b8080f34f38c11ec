import { asJson } from '../../wraps/json.ts'
import { replies, replyText, usages } from '../../wraps/reply.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.3-usage.ts` must notice. */
export const usageFaults = {
  'last-eight-messages-counted': {
    about: 'Only the last eight messages of a conversation are counted.',
    breaks: ['usage.history-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) => real({ ...request, messages: request.messages.slice(-8) }, call),
    }),
  },
  'prompt-counted-in-ascii': {
    about: 'Prompt characters outside ASCII are not counted.',
    breaks: ['usage.every-script-counts'],
    follows: ['usage.prompt-counted'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) => {
        const messages = request.messages.map((one) => ({ ...one, content: one.content.replaceAll(/[^ -~]/g, '') }))
        return real({ ...request, messages }, call)
      },
    }),
  },
  'usage-missing': {
    about: 'A reply has no usage.',
    breaks: ['usage.present'],
    wrap: () => replies(({ usage: _, ...reply }) => reply),
  },
  'usage-null': {
    about: 'A reply has a usage of null.',
    breaks: ['usage.present'],
    wrap: () => usages(() => null),
  },
  'usage-has-completion-only': {
    about: 'Usage reports only completion tokens.',
    breaks: ['usage.present'],
    wrap: () => usages(({ completion_tokens }) => ({ completion_tokens })),
  },
  'usage-as-strings': {
    about: 'Token counts are strings.',
    breaks: ['usage.present'],
    wrap: () =>
      usages((usage) => Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, String(count)]))),
  },
  'usage-as-floats': {
    about: 'Token counts are written with a fraction.',
    breaks: ['usage.whole-numbers'],
    wrap: () => replyText((text) => text.replace(/"(prompt|completion|total)_tokens":(\d+)/g, '"$1_tokens":$2.0')),
  },
  'usage-total-wrong': {
    about: 'The total token count leaves out the prompt.',
    breaks: ['usage.total-is-sum'],
    wrap: () => usages((usage) => ({ ...usage, total_tokens: usage['completion_tokens'] })),
  },
  'usage-total-wrong-in-both-modes': {
    about: 'The total token count of a reply, and of a stream, is one too high.',
    breaks: ['usage.total-is-sum'],
    wrap: () => ({
      ...usages((usage) => ({ ...usage, total_tokens: Number(usage['total_tokens']) + 1 })),
      usageChunk: (real) => (parts, call) => {
        const chunk = asJson(real(parts, call))
        const usage = asJson(chunk['usage'])
        return { ...chunk, usage: { ...usage, total_tokens: Number(usage['total_tokens']) + 1 } }
      },
    }),
  },
  'usage-total-wrong-when-long': {
    about: 'The total token count of a long reply is one too high.',
    breaks: ['usage.total-is-sum'],
    wrap: () =>
      usages((usage, { completionTokens }) =>
        completionTokens > 60 ? { ...usage, total_tokens: Number(usage['total_tokens']) + 1 } : usage,
      ),
  },
  'usage-prompt-zero': {
    about: 'The prompt is reported as 0 tokens.',
    breaks: ['usage.prompt-counted', 'key.usage-is-counted', 'billing.reply-charged'],
    wrap: () => usages((usage) => ({ ...usage, prompt_tokens: 0, total_tokens: usage['completion_tokens'] })),
  },
  'usage-prompt-constant': {
    about: 'Every prompt is counted as ten tokens.',
    breaks: ['usage.longer-prompt-costs-more'],
    wrap: () => ({ countPromptTokens: () => () => 10 }),
  },
  'usage-counts-last-message-only': {
    about: 'Only the last message is counted.',
    breaks: ['usage.history-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) => real({ ...request, messages: request.messages.slice(-1) }, call),
    }),
  },
  'usage-forgets-assistant-turns': {
    about: 'Assistant messages in the history are not counted.',
    breaks: ['usage.history-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) =>
        real({ ...request, messages: request.messages.filter(({ role }) => role !== 'assistant') }, call),
    }),
  },
  'only-the-last-system-message-is-kept': {
    about: 'Of several system messages the model gets only the last.',
    breaks: ['usage.system-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) => {
        const last = request.messages.findLastIndex(({ role }) => role === 'system')
        return real(
          { ...request, messages: request.messages.filter(({ role }, at) => role !== 'system' || at === last) },
          call,
        )
      },
    }),
  },
  'usage-forgets-system': {
    about: 'System messages are not counted.',
    breaks: ['usage.system-counts'],
    wrap: () => ({
      countPromptTokens: (real) => (request, call) =>
        real({ ...request, messages: request.messages.filter(({ role }) => role !== 'system') }, call),
    }),
  },
  'usage-prompt-drifts': {
    about: 'Each request counts one prompt token more than the one before.',
    breaks: [
      'usage.same-prompt-same-count',
      'usage.stream-agrees-with-reply',
      'concurrency.replies-not-crossed',
      'billing.stream-as-reply',
    ],
    wrap: () => {
      let more = 0
      return {
        countPromptTokens: (real) => (request, call) => {
          more += 1
          return real(request, call) + more
        },
      }
    },
  },
  'one-token-is-none': {
    about: 'A max_tokens of 1 yields no token at all.',
    breaks: ['usage.cut-reply-has-tokens'],
    wrap: () => ({
      generate: (real) =>
        async function* (node, job, signal, call) {
          return job.tokensMax === 1 ? 'length' : yield* real(node, job, signal, call)
        },
    }),
  },
  'usage-completion-zero': {
    about: 'Completion tokens are reported as 0 although there is text.',
    breaks: ['usage.completion-counted', 'key.usage-counts-streams'],
    wrap: () => ({ countCompletionTokens: () => () => 0 }),
  },
  'usage-completion-halved': {
    about: 'Only half of the completion tokens are counted.',
    breaks: ['usage.count-agrees-with-limit'],
    wrap: () => ({ countCompletionTokens: (real) => (counted, call) => Math.ceil(real(counted, call) / 2) }),
  },
  'usage-completion-doubled-below-limit': {
    about: 'Completion tokens are counted twice where max_tokens does not reveal it.',
    breaks: ['usage.count-agrees-with-limit'],
    wrap: () => ({
      countCompletionTokens: (real) => (counted, call) => {
        const honest = real(counted, call)
        return honest * 2 <= (call.body?.tokensMax ?? 0) ? honest * 2 : honest
      },
    }),
  },
  'usage-of-streams-estimated': {
    about: 'Streams estimate their prompt tokens from characters.',
    breaks: ['usage.stream-agrees-with-reply', 'billing.stream-charged'],
    wrap: () => ({
      usageChunk: (real) => (parts, call) =>
        real({ ...parts, promptTokens: Math.ceil(parts.promptTokens * 1.3) }, call),
    }),
  },
} as const satisfies Record<string, Fault>
