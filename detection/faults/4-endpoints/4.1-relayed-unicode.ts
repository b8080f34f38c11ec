import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { askingNodes, changingNodeReplies } from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

const breaks = ['relay.unicode-unchanged'] as const

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-unicode.ts` must notice. */
export const relayedUnicodeFaults = {
  'relay-messages-composed': {
    about: 'Messages reach the node in Unicode form NFC: a letter and its accent become one.',
    breaks,
    wrap: () => rewording((content) => content.normalize('NFC')),
  },
  'relay-messages-made-compatible': {
    about: 'Messages reach the node in Unicode form NFKC: ligatures, fractions and wide letters become plain ones.',
    breaks,
    wrap: () => rewording((content) => content.normalize('NFKC')),
  },
  'relay-last-message-decomposed': {
    about: 'The last message reaches the node in Unicode form NFD.',
    breaks,
    wrap: () => rewording((content, isLast) => (isLast ? content.normalize('NFD') : content)),
  },
  'relay-last-message-trimmed': {
    about: 'The last message is trimmed for the node.',
    breaks,
    wrap: () => rewording((content, isLast) => (isLast ? content.trim() : content)),
  },
  'relay-invisible-characters-removed': {
    about: 'Zero-width spaces, soft hyphens and byte order marks are removed from messages.',
    breaks,
    wrap: () => rewording((content) => content.replace(/[\u200b\u00ad\ufeff\u2060]/g, '')),
  },
  'relay-spaces-made-plain': {
    about: 'No-break spaces in messages become spaces.',
    breaks,
    wrap: () => rewording((content) => content.replaceAll('\u00a0', ' ')),
  },
  'relay-line-ends-made-plain': {
    about: 'CRLF in messages becomes LF.',
    breaks,
    wrap: () => rewording((content) => content.replaceAll('\r\n', '\n')),
  },
  'relay-messages-of-streams-composed': {
    about: 'For streams, messages reach the node in Unicode form NFC.',
    breaks,
    wrap: () =>
      askingNodes((job, call) =>
        isStream(call)
          ? { ...job, messages: job.messages.map((one) => ({ ...one, content: one.content.normalize('NFC') })) }
          : job,
      ),
  },
  'relay-stop-composed': {
    about: 'Stop sequences reach the node in Unicode form NFC.',
    breaks,
    wrap: () => askingNodes((job) => ({ ...job, stop: job.stop.map((one) => one.normalize('NFC')) })),
  },
  'relay-cuts-pairs': {
    about: "A stream's text is cut into pieces of five UTF-16 units.",
    breaks: ['relay.characters-stay-whole'],
    wrap: () => cutting(5, (piece) => piece),
  },
  'relay-replaces-half-pairs': {
    about: "A stream's text is cut into pieces of sixteen UTF-16 units, and half a character becomes a question mark.",
    breaks: ['relay.characters-stay-whole'],
    follows: ['relay.any-form-of-stream', 'relay.exchanges-in-turn'],
    wrap: () => cutting(16, (piece) => piece.toWellFormed()),
  },
} as const satisfies Record<string, Fault>

/** Changes the text of each message on its way to the node. */
function rewording(change: (content: string, isLast: boolean) => string): Wrap {
  return askingNodes((job) => ({
    ...job,
    messages: job.messages.map((message, index) => ({
      ...message,
      content: change(message.content, index === job.messages.length - 1),
    })),
  }))
}

/** Sends the text of streams in pieces of so many UTF-16 units. */
function cutting(units: number, change: (piece: string) => string): Wrap {
  return changingNodeReplies(async function* (words, call) {
    if (!isStream(call)) return yield* words
    let text = ''
    for (;;) {
      const step = await words.next()
      if (!step.done) text += step.value.text
      for (; text.length >= units; text = text.slice(units)) yield { text: change(text.slice(0, units)), tokens: 1 }
      if (!step.done) continue
      yield { text: change(text), tokens: 1 }
      return step.value
    }
  })
}
