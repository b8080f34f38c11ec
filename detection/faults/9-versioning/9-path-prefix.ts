import { refusal } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/9-versioning/9-path-prefix.ts` must notice. */
export const pathPrefixFaults = {
  'chat-under-another-prefix': {
    about: 'The chat endpoint is missing under the version prefix.',
    breaks: ['version.routes-under-prefix', 'chat.answers', 'stream.answers'],
    wrap: () => ({
      authenticate: (real) => (call) => {
        if (call.request.method === 'POST') throw refusal(404)
        return real(call)
      },
    }),
  },
} as const satisfies Record<string, Fault>
