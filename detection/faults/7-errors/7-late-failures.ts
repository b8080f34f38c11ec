import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { type Failed, type Misdeed, misbehavingAt, noWords } from '../../relay-table/node-failures.ts'
import { workedOn } from '../../wraps/left.ts'
import { isRelayed } from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/7-errors/7-late-failures.ts` must notice. */
export const lateFailuresFaults = {
  'relay-conflict-is-empty': {
    about: "A node's 409 yields an empty reply.",
    breaks: ['relay.any-status-is-no-reply'],
    wrap: () => failing(({ status }) => status === 409, { words: noWords }),
  },
  'relay-quotes-the-422-of-a-node': {
    about: "A node's 422 is quoted to the client, with the address of the node.",
    breaks: ['relay.any-status-hides-the-node'],
    wrap: () =>
      failing(({ status }) => status === 422, {
        answer: (honest) => ({ ...honest, body: { error: { message: 'refused by 10.9.8.7:9101' } } }),
      }),
  },
  'relay-late-break-looks-whole': {
    about: 'A reply whose node breaks off after fifty fragments is sent as if it were complete.',
    breaks: ['relay.late-failure-shows'],
    wrap: () => failing(({ fragments }) => fragments >= 50, { words: noWords }),
  },
  'relay-late-leavers-unnoticed': {
    about: 'A node keeps generating when the client leaves a stream after forty fragments.',
    breaks: ['relay.stream-left-anywhere'],
    wrap: () => ({
      generate: (real) => (node, job, signal, call) => {
        if (!isRelayed(job) || !isStream(call)) return real(node, job, signal, call)
        const giveUp = new AbortController()
        return workedOn(real(node, job, giveUp.signal, call), call, (fragments) => {
          if (fragments < 40) giveUp.abort(call.left.reason)
        })
      },
    }),
  },
} as const satisfies Record<string, Fault>

function failing(isForm: (failed: Failed) => boolean, misdeed: Misdeed): Wrap {
  return misbehavingAt(isForm, misdeed)({ holds: () => true })
}
