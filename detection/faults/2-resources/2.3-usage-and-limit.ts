import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.3-usage-and-limit.ts` must notice. */
export const usageAndLimitFaults = {
  'usage-completion-is-the-limit': {
    about: 'Completion tokens are reported and charged as max_tokens, however short the reply.',
    breaks: ['usage.is-not-the-limit'],
    wrap: () => counting((limit) => limit),
  },
  'usage-completion-is-the-limit-in-streams': {
    about: 'Completion tokens of streams are reported and charged as max_tokens, however short the stream.',
    breaks: ['usage.is-not-the-limit-streaming'],
    wrap: () => counting((limit, call, counted) => (isStream(call) ? limit : counted)),
  },
  'usage-completion-is-below-the-limit': {
    about: 'Completion tokens are reported and charged as eight fewer than a max_tokens above 16.',
    breaks: ['usage.is-not-the-limit'],
    follows: ['usage.count-agrees-with-limit'],
    wrap: () => counting((limit, _, counted) => (limit > 16 ? limit - 8 : counted)),
  },
} as const satisfies Record<string, Fault>

/** Counts the completion tokens of requests that have a limit differently. */
function counting(count: (limit: number, call: Call, counted: number) => number): Wrap {
  return {
    countCompletionTokens: (real) => (counted, call) => {
      const limit = call.body?.tokensMax
      const honest = real(counted, call)
      // No limit is above the context window of a model.
      return limit === undefined || limit > 100_000 ? honest : count(limit, call, honest)
    },
  }
}
