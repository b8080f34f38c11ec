import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { workedOn } from '../wraps/left.ts'
import { isRelayed } from '../wraps/relay.ts'
import { isStream } from '../wraps/stream.ts'
import type { Watch } from './watch.ts'
import type { What } from './what.ts'

/** Lets the node work on for a client that has left, if it is the time then. */
function workingOn(ofStreams: boolean): (watch: Watch) => Wrap {
  return (watch) => ({
    generate: (real) => (node, job, signal, call) => {
      if (!isRelayed(job) || isStream(call) !== ofStreams) return real(node, job, signal, call)
      const giveUp = new AbortController()
      return workedOn(real(node, job, giveUp.signal, call), call, (fragments) => {
        if (!watch.holds(call, { index: fragments, isLast: true })) giveUp.abort(call.left.reason)
      })
    },
  })
}

const says = { lost: 'does not end the work of the node' } as const

/** Clients that leave, and what they leave behind. */
export const whatsLeft = {
  'left-stream': {
    about: 'the leaving of the client of a stream',
    faults: { lost: workingOn(true) },
    says,
    empty: {},
    times: ['progress'],
    mode: 'stream',
    noticedBy: ['relay.stream-left-is-cancelled', 'relay.stream-left-anywhere'],
  },
  'left-reply': {
    about: 'the leaving of the client of a reply',
    faults: { lost: workingOn(false) },
    says,
    empty: {},
    times: [],
    mode: 'reply',
    noticedBy: ['relay.reply-left-is-cancelled'],
  },
} as const satisfies Readonly<Record<string, What>>
