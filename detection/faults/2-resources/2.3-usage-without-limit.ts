import { replies } from '../../wraps/reply.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.3-usage-without-limit.ts` must notice. */
export const usageWithoutLimitFaults = {
  'usage-needs-a-limit': {
    about: 'Replies to requests without max_tokens have no usage.',
    breaks: ['usage.present-without-limit'],
    wrap: () =>
      replies(({ usage, ...reply }, _, call) => (call.body?.tokensMax === undefined ? reply : { ...reply, usage })),
  },
} as const satisfies Record<string, Fault>
