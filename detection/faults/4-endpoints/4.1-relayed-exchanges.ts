import { inFragments, inRequest } from '../../relay-table/carriers.ts'
import { lost, ofList, ofText } from '../../relay-table/hows.ts'
import { distorting } from '../../relay-table/relayed-value.ts'
import { watching } from '../../relay-table/watch.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-exchanges.ts` must notice. */
export const relayedExchangesFaults = {
  'relay-json-in-messages-written-anew': {
    about: 'A message that is JSON is parsed and written again, without its spaces.',
    breaks: ['relay.exchanges-in-turn'],
    wrap: () => distorting(inRequest('messages', '*', 'content'), ofText(writtenAnew), { holds: () => true }),
  },
  'relay-stop-lost-in-a-crowd': {
    about: 'Beside nine other requests the first of two stop sequences does not reach the node.',
    breaks: ['relay.exchanges-beside-others', 'relay.every-request-unchanged'],
    wrap: () =>
      distorting(
        inRequest('stop'),
        ofList((list) => (list.length === 2 ? list.slice(1) : list)),
        watching(({ underWay }) => underWay > 9),
      ),
  },
  'relay-stop-lost-after-a-failure': {
    about: 'After a request whose nodes failed, the stop sequences of the next one do not reach the node.',
    breaks: ['relay.exchange-after-a-failure', 'relay.every-request-unchanged'],
    wrap: () =>
      distorting(
        inRequest('stop'),
        lost,
        watching(({ afterFailure, call }) => afterFailure && call.tried.size === 1),
      ),
  },
  'relay-stop-lost-after-a-left-stream': {
    about: 'After a stream that its client left, the stop sequences of the next request do not reach the node.',
    breaks: ['relay.exchange-after-a-left-stream', 'relay.every-request-unchanged'],
    wrap: () =>
      distorting(
        inRequest('stop'),
        lost,
        watching(({ afterLeft }) => afterLeft),
      ),
  },
  'relay-second-reply-escaped': {
    about: 'The reply of a second node is escaped as HTML.',
    breaks: ['relay.exchange-on-the-second-try'],
    // The wrap holds each fragment back until it is known whether it is the last.
    follows: ['relay.every-reply-unchanged', 'relay.fragments-wait-for-none'],
    wrap: () =>
      distorting(
        inFragments,
        ofText((text) => text.replaceAll('<', '&lt;')),
        watching(({ call }) => call.tried.size > 1),
      ),
  },
  'relay-stream-words-cut-from-messages': {
    about: 'What looks like a piece of an event stream is removed from messages.',
    breaks: ['relay.any-exchange'],
    follows: ['relay.every-request-unchanged'],
    wrap: () =>
      distorting(
        inRequest('messages', '*', 'content'),
        ofText((text) => text.replace(/data: |\[DONE\]/g, '')),
        { holds: () => true },
      ),
  },
} as const satisfies Record<string, Fault>

/** A text that is JSON as a program writes it; any other as it is. */
function writtenAnew(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
