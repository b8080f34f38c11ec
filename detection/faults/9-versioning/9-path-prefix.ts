import { refusingHeads } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/9-versioning/9-path-prefix.ts` must notice. */
export const pathPrefixFaults = {
  'chat-under-another-prefix': {
    about: 'The chat endpoint is missing under the version prefix.',
    breaks: ['version.routes-under-prefix', 'chat.answers', 'stream.answers'],
    wrap: () => refusingHeads(404, ({ request }) => request.method === 'POST'),
  },
} as const satisfies Record<string, Fault>
