import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { contentTypeOf } from '../../../reference-server/network/node.ts'
import { NodeFailure } from '../../../reference-server/network/node-failure.ts'
import { decode, encode, withoutEvents } from '../../wraps/node-body.ts'
import {
  answeringNodeFailures,
  changingNodeReplies,
  isRelayed,
  isRelayedCall,
  tapping,
  type Words,
} from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

const address = { error: { message: 'connect ECONNREFUSED 10.9.8.7:9101' } }

/** Gateways that the checks of `suites/7-errors/7-node-failures.ts` must notice. */
export const nodeFailuresFaults = {
  'relay-early-failure-is-empty': {
    about: 'A node that fails before its first word yields an empty reply with 200.',
    breaks: ['relay.early-failure-is-no-reply', 'relay.another-node-is-tried', 'relay.recovers'],
    follows: ['relay.every-reply-unchanged'],
    wrap: () => swallowingFailures((words) => words === 0),
  },
  'relay-early-failure-is-empty-in-streams': {
    about: 'A node that fails before its first word yields an empty stream that ends normally.',
    breaks: ['relay.early-failure-is-no-reply', 'relay.another-node-is-tried'],
    follows: ['relay.every-reply-unchanged'],
    wrap: () => swallowingFailures((words, stream) => words === 0 && stream),
  },
  'relay-html-is-a-reply': {
    about: 'An HTML page from a node is taken as its text.',
    breaks: ['relay.early-failure-is-no-reply', 'relay.failure-hides-the-node'],
    wrap: () =>
      tapping((reply) =>
        contentTypeOf(reply).includes('html')
          ? { ...reply, headers: { 'content-type': 'text/event-stream' }, body: asReply(reply.body) }
          : reply,
      ),
  },
  'relay-broken-stream-looks-whole': {
    about: 'A stream whose node died ends as if it were complete.',
    breaks: ['relay.broken-stream-shows'],
    wrap: () => swallowingFailures((words, stream) => words > 0 && stream),
  },
  'relay-broken-reply-looks-whole': {
    about: 'A non-streamed reply whose node died is sent as far as it came.',
    breaks: ['relay.broken-reply-is-no-reply'],
    wrap: () => swallowingFailures((words, stream) => words > 0 && !stream),
  },
  'relay-broken-stream-ends-cleanly': {
    about: 'A stream whose node died just ends, without an error event and without [DONE].',
    breaks: ['relay.broken-stream-shows'],
    wrap: () => ({
      frame: (real) => (data, call) => (isRelayedCall(call) && data.startsWith('{"error"') ? '' : real(data, call)),
    }),
  },
  'relay-error-event-of-the-node-swallowed': {
    about: 'An error event from a node is taken as the normal end of its stream.',
    breaks: ['relay.broken-stream-shows', 'relay.broken-reply-is-no-reply', 'relay.early-failure-is-no-reply'],
    wrap: () => tapping((reply) => ({ ...reply, body: withoutErrors(reply.body) })),
  },
  'relay-error-event-before-done-swallowed': {
    about:
      'An error event that a node sends after its first words is not read: if [DONE] follows, the stream looks whole.',
    breaks: ['relay.broken-stream-shows', 'relay.broken-reply-is-no-reply'],
    wrap: () => tapping((reply) => ({ ...reply, body: withoutEvents(reply.body, /^data: ?\{"error"/) })),
  },
  'relay-error-event-before-done-swallowed-in-streams': {
    about: 'In streams, an error event that a node sends after its first words is not read.',
    breaks: ['relay.broken-stream-shows'],
    wrap: () =>
      tapping((reply, call) =>
        isStream(call) ? { ...reply, body: withoutEvents(reply.body, /^data: ?\{"error"/) } : reply,
      ),
  },
  'relay-error-glued-to-half-an-event': {
    about:
      'When a node dies inside an event, the error event comes on the same line as its half, where no client finds it.',
    breaks: ['relay.broken-event-is-not-sent'],
    wrap: () => {
      const halves = new WeakMap<object, string>()
      return {
        ...tapping((reply, call) => ({ ...reply, body: noticingHalf(reply.body, (half) => halves.set(call, half)) })),
        frame: (real) => (data, call) =>
          data.startsWith('{"error"') ? (halves.get(call) ?? '') + real(data, call) : real(data, call),
      }
    },
  },
  'relay-broken-stream-begun-again': {
    about: 'A stream whose node died starts over after what was already sent.',
    breaks: ['relay.broken-stream-is-not-begun-again'],
    wrap: () => ({
      generate: (real) => (node, job, signal, call) =>
        isRelayed(job) ? beginningAgain(() => real(node, job, signal, call), signal) : real(node, job, signal, call),
    }),
  },
  'relay-blames-the-client': {
    about: "A node's 401 or 404 is passed on as if the client were at fault.",
    breaks: ['relay.early-failure-blames-no-client'],
    wrap: () => {
      const statuses = new WeakMap<object, number>()
      return {
        ...tapping((reply, call) => {
          statuses.set(call, reply.status)
          return reply
        }),
        ...answeringNodeFailures((answer, call) => {
          const status = statuses.get(call) ?? 503
          return status === 401 || status === 404 ? { ...answer, status } : answer
        }),
      }
    },
  },
  'relay-page-blames-the-client': {
    about: "A node's page of HTML is answered with a 400, as if the client's body were no JSON.",
    breaks: ['relay.early-failure-blames-no-client'],
    wrap: () => {
      const pages = new WeakSet<object>()
      return {
        ...tapping((reply, call) => {
          if (contentTypeOf(reply).includes('html')) pages.add(call)
          return reply
        }),
        ...answeringNodeFailures((answer, call) => (pages.has(call) ? { ...answer, status: 400 } : answer)),
      }
    },
  },
  'relay-names-the-address': {
    about: "The answer to a node's failure names the address of the node.",
    breaks: ['relay.failure-hides-the-node'],
    wrap: () => answeringNodeFailures((answer) => ({ ...answer, body: address })),
  },
  'relay-names-the-address-after-a-cut': {
    about: 'The error event of a stream whose node was cut off names the address of the node.',
    breaks: ['relay.failure-hides-the-node'],
    wrap: () => {
      const cut = new WeakSet<Call>()
      return {
        ...changingNodeReplies(async function* (words, call) {
          try {
            return yield* words
          } catch (error) {
            if (error instanceof NodeFailure && error.kind === 'unreachable') cut.add(call)
            throw error
          }
        }),
        frame: (real) => (data, call) =>
          real(cut.has(call) && data.startsWith('{"error"') ? JSON.stringify(address) : data, call),
      }
    },
  },
  'relay-passes-redirects-on': {
    about: "A node's redirect is passed on to the client, with its address.",
    breaks: ['relay.failure-hides-the-node'],
    wrap: () => {
      const redirected = new WeakSet<Call>()
      return {
        ...tapping((reply, call) => {
          if (reply.status === 307) redirected.add(call)
          return reply
        }),
        ...answeringNodeFailures((answer, call) =>
          redirected.has(call)
            ? {
                ...answer,
                status: 307,
                headers: { ...answer.headers, location: 'http://127.0.0.1:9/v1/chat/completions' },
              }
            : answer,
        ),
      }
    },
  },
  'relay-shows-a-stack': {
    about: "The answer to a node's failure shows a stack trace.",
    breaks: ['relay.failure-hides-the-node'],
    wrap: () =>
      answeringNodeFailures((answer) => ({
        ...answer,
        body: { error: { message: 'Error: gone\n    at relay (/srv/gateway/relay.js:41:7)' } },
      })),
  },
  'relay-no-end-marker-of-its-own': {
    about: 'A complete stream whose node sent no [DONE] ends without one.',
    breaks: ['relay.missing-end-marker'],
    wrap: () => {
      const done = new WeakSet<object>()
      return {
        ...tapping((reply, call) => ({ ...reply, body: noticing(reply.body, '[DONE]', () => done.add(call)) })),
        doneFrame: (real) => (call) => (isRelayedCall(call) && !done.has(call) ? '' : real(call)),
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Takes the failure of a node for the end of its reply. */
function swallowingFailures(when: (words: number, stream: boolean) => boolean): Wrap {
  return changingNodeReplies(async function* (words, call) {
    let count = 0
    for (;;) {
      try {
        const step = await words.next()
        if (step.done) return step.value
        count += 1
        yield step.value
      } catch (error) {
        if (call.left.aborted || !when(count, isStream(call))) throw error
        return 'stop'
      }
    }
  })
}

/** Begins a reply anew when it breaks off after its first words. */
async function* beginningAgain(begin: () => Words, signal: AbortSignal): Words {
  let count = 0
  try {
    const words = begin()
    for (;;) {
      const step = await words.next()
      if (step.done) return step.value
      count += 1
      yield step.value
    }
  } catch (error) {
    if (count === 0 || signal.aborted) throw error
    return yield* begin()
  }
}

/** A stream whose only chunk has the body for its text. */
async function* asReply(body: AsyncIterable<Uint8Array>) {
  let text = ''
  for await (const bytes of body) text += decode(bytes)
  const chunk = { choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] }
  yield encode(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
}

/** A body with a proper end in place of its error events. */
async function* withoutErrors(body: AsyncIterable<Uint8Array>) {
  for await (const bytes of body) {
    const text = decode(bytes)
    yield /^data: ?\{"error"/m.test(text) ? encode('data: [DONE]\n\n') : bytes
  }
}

/** A body, unchanged, that tells when it holds a word. */
async function* noticing(body: AsyncIterable<Uint8Array>, word: string, note: () => void) {
  for await (const bytes of body) {
    if (decode(bytes).includes(word)) note()
    yield bytes
  }
}

/** A body, unchanged, that tells of the event in whose middle it is. */
async function* noticingHalf(body: AsyncIterable<Uint8Array>, note: (half: string) => void) {
  for await (const bytes of body) {
    note(decode(bytes).split('\n\n').at(-1) ?? '')
    yield bytes
  }
}
