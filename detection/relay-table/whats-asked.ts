import { bearerKey } from '../../reference-server/gateway/request/bearer.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import type { NodeRequest } from '../../reference-server/network/node.ts'
import { textAt } from '../../src/json.ts'
import { bothWraps } from '../wraps/both.ts'
import { asJson } from '../wraps/json.ts'
import { isRelayedCall } from '../wraps/relay.ts'
import { inRequest } from './carriers.ts'
import {
  longTextDistortions,
  lost,
  numberDistortions,
  ofList,
  ofPrevious,
  ofText,
  textDistortions,
  wordDistortions,
} from './hows.ts'
import { relayedValue } from './relayed-value.ts'
import type { Watch } from './watch.ts'
import type { What } from './what.ts'

/** A node refuses a request that it cannot read, and then no reply comes; the last looks at every request of the run. */
const served = [
  'relay.reply-text-exact',
  'relay.stream-text-exact',
  'relay.every-request-unchanged',
  'relay.every-reply-unchanged',
] as const

/** What a node is asked. */
export const whatsAsked = {
  temperature: relayedValue({
    about: 'the temperature that a node is asked for',
    carrier: inRequest('temperature'),
    hows: {
      ...numberDistortions({ step: 0.1, most: 1, least: 0.1 }),
      'lost-when-zero': (value) => (value === 0 ? undefined : value),
    },
    empty: { 'lost-when-default': 'unseen' },
    unset: 1,
    noticedBy: [...served, 'relay.temperature-unchanged', 'relay.nothing-invented'],
  }),
  'top-p': relayedValue({
    about: 'the top_p that a node is asked for',
    carrier: inRequest('top_p'),
    hows: numberDistortions({ step: 0.1, most: 0.9, least: 0.1 }),
    empty: { 'lost-when-default': 'unseen', 'lost-when-zero': 'engines' },
    unset: 1,
    noticedBy: [...served, 'relay.top-p-unchanged', 'relay.nothing-invented'],
  }),
  'max-tokens': relayedValue({
    about: 'the limit that a node is asked for',
    carrier: inRequest('max_tokens'),
    hows: numberDistortions({ step: 10, most: 64, least: 16 }),
    empty: { 'lost-when-zero': 'no-such-thing', 'lost-when-default': 'unseen' },
    unset: 4000,
    noticedBy: [...served, 'relay.max-tokens-unchanged'],
  }),
  stop: relayedValue({
    about: 'the list of stop sequences that a node is asked for',
    carrier: inRequest('stop'),
    hows: {
      lost,
      merged: ofList((list) => [list.join('')]),
      truncated: ofList((list) => list.slice(0, 1)),
      'from-the-wrong-side': ofPrevious,
    },
    empty: { 'type-changed': 'open', doubled: 'unseen', reordered: 'unseen', 'lost-when-empty': 'unseen' },
    noticedBy: [...served, 'relay.stop-unchanged', 'relay.unicode-unchanged', 'relay.nothing-invented'],
  }),
  'stop-sequence': relayedValue({
    about: 'a stop sequence that a node is asked for',
    carrier: inRequest('stop', '*'),
    hows: {
      ...textDistortions,
      doubled: ofText((text) => text + text),
      truncated: ofText((text) => text.slice(0, 4)),
      lost,
    },
    empty: { merged: 'elsewhere', reordered: 'unseen', 'lost-when-empty': 'open', 'type-changed': 'no-such-thing' },
    noticedBy: [...served, 'relay.stop-unchanged', 'relay.unicode-unchanged'],
  }),
  messages: relayedValue({
    about: 'the conversation that a node gets',
    carrier: inRequest('messages'),
    hows: {
      lost: ofList((list) => list.slice(-1)),
      merged: ofList((list) => mergedMessages(list)),
      doubled: ofList(([first, ...rest]) => [first, first, ...rest]),
      reordered: ofList((list) => (list.length < 3 ? list : [list[1], list[0], ...list.slice(2)])),
      truncated: ofList((list) => list.slice(-10)),
      'from-the-wrong-side': ofList((list, previous) => [...previous.slice(0, -1), list.at(-1)]),
      'lost-when-repeated': ofList((list) => withoutEqual(list)),
    },
    empty: { 'lost-when-empty': 'open' },
    noticedBy: [
      ...served,
      'relay.messages-unchanged',
      'relay.unicode-unchanged',
      'relay.history-counts',
      'relay.large-message-unchanged',
    ],
  }),
  role: relayedValue({
    about: 'the role of a message that a node gets',
    carrier: inRequest('messages', '*', 'role'),
    hows: { ...wordDistortions, 'lost-when-default': (value) => (value === 'user' ? undefined : value) },
    empty: {},
    inList: true,
    noticedBy: [...served, 'relay.messages-unchanged', 'relay.unicode-unchanged'],
  }),
  content: relayedValue({
    about: 'the text of a message that a node gets',
    carrier: inRequest('messages', '*', 'content'),
    hows: longTextDistortions(1000),
    empty: {
      'lost-when-empty': 'open',
      merged: 'elsewhere',
      reordered: 'elsewhere',
      'lost-when-repeated': 'elsewhere',
    },
    // The last message holds the words by which the node finds its script.
    emptyAt: {
      'lost-when-zero': { 'last-element': 'no-such-time' },
      'type-changed': { 'last-element': 'no-such-time' },
    },
    inList: true,
    noticedBy: [...served, 'relay.messages-unchanged', 'relay.unicode-unchanged', 'relay.large-message-unchanged'],
  }),
  'caller-key': {
    about: 'the key of the caller',
    faults: {
      'from-the-wrong-side': sendingKeyAlong((request, key) => ({
        ...request,
        headers: { ...request.headers, authorization: `Bearer ${key}` },
      })),
      merged: sendingKeyAlong((request, key) => ({ ...request, body: { ...request.body, user: key } })),
    },
    says: {
      'from-the-wrong-side': 'is sent to the node in place of its own',
      merged: 'is sent to the node as the name of the user',
    },
    empty: {},
    times: ['request'],
    noticedBy: ['relay.key-stays-with-us', 'relay.no-request-shows-a-key'],
  },
} as const satisfies Readonly<Record<string, What>>

/** The first two messages of different roles as one of the first one's role. */
function mergedMessages(list: readonly unknown[]): readonly unknown[] {
  const [first, second, ...rest] = list
  if (rest.length === 0 || textAt(first, 'role') === textAt(second, 'role')) return list
  const content = `${textAt(first, 'content')}\n${textAt(second, 'content')}`
  return [{ ...asJson(first), content }, ...rest]
}

/** Each message once. */
function withoutEqual(list: readonly unknown[]): readonly unknown[] {
  const texts = list.map((message) => JSON.stringify(message))
  return list.filter((_, at) => texts.indexOf(texts[at] ?? '') === at)
}

/** Adds the key of the caller to what a node is sent, whenever the watch says so. */
function sendingKeyAlong(add: (request: NodeRequest, key: string) => NodeRequest): (watch: Watch) => Wrap {
  return (watch) => {
    const wrap: Wrap = {
      writeRequest: (real) => (request, call) => {
        const honest = real(request, call)
        if (!isRelayedCall(call) || !watch.holds(call, { index: 0, isLast: true })) return honest
        watch.changed?.(call)
        return add(honest, bearerKey(call.request) ?? '')
      },
    }
    return watch.wrap === undefined ? wrap : bothWraps(watch.wrap, wrap)
  }
}
