import { asJson } from '../../wraps/json.ts'
import { usages } from '../../wraps/reply.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.3-usage-and-limit.ts` must notice. */
export const usageAndLimitFaults = {
  'usage-completion-is-the-limit': {
    about: 'Completion tokens are reported and charged as max_tokens, however short the reply.',
    breaks: ['usage.is-not-the-limit'],
    wrap: () => ({
      countCompletionTokens: (real) => (counted, call) => call.body?.tokensMax ?? real(counted, call),
    }),
  },
  'usage-completion-is-the-limit-in-streams': {
    about: 'The usage of a stream reports max_tokens as its completion tokens.',
    breaks: ['usage.is-not-the-limit-streaming'],
    wrap: () => ({
      usageChunk: (real) => (parts, call) =>
        real({ ...parts, completionTokens: call.body?.tokensMax ?? parts.completionTokens }, call),
    }),
  },
  'usage-total-is-the-limit': {
    about: 'Completion tokens are reported as what is left of max_tokens after the prompt.',
    breaks: ['usage.is-not-the-limit'],
    wrap: () =>
      usages((usage, { promptTokens }, { body }) => {
        const limit = body?.tokensMax ?? 0
        return limit > promptTokens
          ? { ...asJson(usage), completion_tokens: limit - promptTokens, total_tokens: limit }
          : usage
      }),
  },
} as const satisfies Record<string, Fault>
