import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { decode } from '../wraps/node-body.ts'
import type { How } from './hows.ts'
import { type Failed, misbehavingAt, noWords, wordsOfTheError } from './node-failures.ts'
import type { Watch } from './watch.ts'
import type { What } from './what.ts'

const early = ['relay.early-failure-is-no-reply', 'relay.any-status-is-no-reply'] as const
const late = ['relay.broken-stream-shows', 'relay.broken-reply-is-no-reply', 'relay.late-failure-shows'] as const
const hidden = ['relay.failure-hides-the-node', 'relay.any-status-hides-the-node'] as const

/** There the failure is one of the early forms. */
const beforeAnything = { 'before-the-first-fragment': 'elsewhere' } as const

type Faults = Readonly<Partial<Record<How, (watch: Watch) => Wrap>>>

const says = {
  lost: 'is taken for the end of its reply',
  'from-the-wrong-side': 'is given to the client as text of the reply',
  'type-changed': 'is reported as a mistake of the client',
  merged: 'is quoted in the answer, with the address of the node',
  doubled: 'makes the gateway begin the same reply again',
  truncated: 'ends the stream without a sign',
} as const

/** What may happen to a failure before the first fragment. */
function earlyFaults(isForm: (failed: Failed) => boolean): Faults {
  const isEarly = (failed: Failed): boolean => failed.fragments === 0 && isForm(failed)
  return {
    lost: misbehavingAt(isEarly, { words: noWords }),
    'from-the-wrong-side': misbehavingAt(isEarly, { words: wordsOfTheError }),
    merged: misbehavingAt(isEarly, {
      answer: (honest, { tail }) => ({ ...honest, body: { error: { message: `the node said: ${decode(tail)}` } } }),
    }),
  }
}

function status(code: number): What {
  const isForm = (failed: Failed): boolean => failed.status === code
  const isOfTheKey = code === 401 || code === 403 || code === 404
  const blaming = misbehavingAt(isForm, { answer: (honest) => ({ ...honest, status: code }) })
  return {
    about: `the ${code} of a node`,
    faults: { ...earlyFaults(isForm), ...(isOfTheKey && { 'type-changed': blaming }) },
    says,
    empty: isOfTheKey ? {} : { 'type-changed': 'open' },
    times: [],
    noticedBy: [...early, ...hidden, 'relay.early-failure-blames-no-client'],
  }
}

function earlyFailure(about: string, isForm: (failed: Failed) => boolean, more: Partial<What> = {}): What {
  return { about, faults: earlyFaults(isForm), says, empty: {}, times: [], noticedBy: [...early, ...hidden], ...more }
}

function lateFailure(about: string, isForm: (failed: Failed) => boolean): What {
  const isLate = (failed: Failed): boolean => failed.fragments > 0 && isForm(failed)
  return {
    about,
    faults: {
      lost: misbehavingAt(isLate, { words: noWords }),
      'from-the-wrong-side': misbehavingAt(isLate, { words: wordsOfTheError }),
      doubled: misbehavingAt(isLate, { words: (_, again) => again() }),
      truncated: misbehavingAt(isLate, { isSilent: true }),
    },
    says,
    empty: {},
    emptyAt: {
      truncated: { ...beforeAnything, 'in-replies': 'no-such-time', always: 'elsewhere' },
      lost: beforeAnything,
      'from-the-wrong-side': beforeAnything,
      // A reply that failed is not sent, however often it was begun.
      doubled: { ...beforeAnything, 'in-replies': 'unseen' },
    },
    times: ['progress'],
    noticedBy: [...late, 'relay.broken-stream-is-not-begun-again'],
  }
}

const says200 = ({ status: code = 0 }: Failed): boolean => code === 200
const isCut = (failed: Failed): boolean => says200(failed) && failed.error.kind === 'unreachable'

/** How nodes fail. */
export const whatsFailed = {
  'status-400': status(400),
  'status-401': status(401),
  'status-403': status(403),
  'status-404': status(404),
  'status-408': status(408),
  'status-409': status(409),
  'status-413': status(413),
  'status-422': status(422),
  'status-429': status(429),
  'status-500': status(500),
  'status-502': status(502),
  'status-503': status(503),
  'status-504': status(504),
  'html-page': earlyFailure('an HTML page of a node', ({ contentType }) => contentType.includes('html')),
  'empty-body': earlyFailure(
    'an empty body of a node',
    (failed) => says200(failed) && failed.contentType.includes('json') && failed.tail.length === 0,
    { empty: { 'from-the-wrong-side': 'unseen', merged: 'no-such-thing' } },
  ),
  'error-under-200': earlyFailure(
    'an error that a node sends with 200',
    (failed) => says200(failed) && failed.error.message.includes('error event'),
  ),
  'cut-before-the-head': earlyFailure(
    'a connection that a node closes before its head',
    ({ status: code }) => code === undefined,
    { empty: { merged: 'no-such-thing' } },
  ),
  cut: lateFailure(
    'a connection that a node closes in the middle of its stream',
    (failed) => isCut(failed) && !endsInsideCharacter(failed),
  ),
  'cut-inside-a-character': lateFailure(
    'a connection that a node closes in the middle of a character',
    (failed) => isCut(failed) && endsInsideCharacter(failed),
  ),
  'end-without-finish': lateFailure('a stream of a node that ends before its finish reason', ({ error }) =>
    error.message.includes('ended before'),
  ),
  'error-event': lateFailure('an error event of a node', ({ error }) => error.message.includes('error event')),
  'broken-chunk': lateFailure('an event of a node that is not JSON', ({ error }) =>
    error.message.includes('not a chunk'),
  ),
} as const satisfies Readonly<Record<string, What>>

/** Whether the bytes break off before the last character is complete. */
function endsInsideCharacter({ tail }: Failed): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(tail)
    return false
  } catch {
    return true
  }
}
