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
  'stream-usage-lost-beside-a-limit': {
    about: 'A stream with max_tokens sends no usage even when asked, though other streams do.',
    breaks: ['usage.sent-whatever-else-is-asked'],
    wrap: () => ({
      usageChunk: (real) => (parts, call) => (call.body?.tokensMax === undefined ? real(parts, call) : null),
      frame: (real) => (data, call) => (data === 'null' ? '' : real(data, call)),
    }),
  },
} as const satisfies Record<string, Fault>
