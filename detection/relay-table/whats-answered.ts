import { inFinish, inFragments, inReply } from './carriers.ts'
import { always, longTextDistortions, lost, ofPrevious, ofText, wordDistortions } from './hows.ts'
import { served, texts } from './noticed.ts'
import { relayedValue } from './relayed-value.ts'
import type { What } from './what.ts'

/** What comes from a node, and the fields of a reply that is not streamed. */
export const whatsAnswered = {
  fragment: relayedValue({
    about: 'a fragment of the reply of a node',
    carrier: inFragments,
    hows: {
      ...longTextDistortions(4096),
      lost,
      'lost-when-repeated': (text, previous) => (text === previous ? undefined : text),
      reordered: (text, previous, { index, isLast }) => {
        if (index % 2 === 1) return [text, previous]
        return isLast ? text : undefined
      },
    },
    empty: { 'lost-when-empty': 'unseen', merged: 'open', 'lost-when-default': 'no-such-thing' },
    inList: true,
    noticedBy: texts,
  }),
  'finish-reason': relayedValue({
    about: 'the finish reason of a node',
    carrier: inFinish,
    hows: { lost: ofText((reason) => (reason === 'length' ? undefined : reason)), 'from-the-wrong-side': ofPrevious },
    empty: { 'lost-when-default': 'unseen', 'type-changed': 'elsewhere', 'case-changed': 'elsewhere' },
    noticedBy: served,
  }),
  'reply-id': relayedValue({
    about: 'the id of a reply',
    carrier: inReply('id'),
    hows: {
      lost,
      'type-changed': always(7),
      truncated: always(''),
      'from-the-wrong-side': always('chatcmpl-1'),
    },
    empty: { 'case-changed': 'unseen', raised: 'no-such-thing' },
    emptyAt: { 'from-the-wrong-side': { first: 'unseen' } },
    mode: 'reply',
    noticedBy: [...served, 'relay.ids-are-unique'],
  }),
  'reply-object': relayedValue({
    about: '`object` of a reply',
    carrier: inReply('object'),
    hows: { ...wordDistortions, 'from-the-wrong-side': always('chat.completion.chunk') },
    empty: {},
    mode: 'reply',
    noticedBy: served,
  }),
  'reply-created': relayedValue({
    about: 'the time of a reply',
    carrier: inReply('created'),
    hows: { lost, 'type-changed': String, raised: (value) => Number(value) * 1000 },
    empty: { rounded: 'unseen', 'from-the-wrong-side': 'open' },
    mode: 'reply',
    noticedBy: served,
  }),
  'reply-model': relayedValue({
    about: 'the model that a reply names',
    carrier: inReply('model'),
    hows: { ...wordDistortions, 'from-the-wrong-side': always('/models/node.gguf') },
    empty: {},
    mode: 'reply',
    noticedBy: served,
  }),
  'reply-choices': relayedValue({
    about: 'the list of choices of a reply',
    carrier: inReply('choices'),
    hows: { lost, truncated: always([]) },
    empty: { doubled: 'open' },
    mode: 'reply',
    noticedBy: served,
  }),
  'reply-index': relayedValue({
    about: 'the index of a choice of a reply',
    carrier: inReply('choices', 0, 'index'),
    hows: { lost, 'type-changed': String, raised: always(1) },
    empty: {},
    mode: 'reply',
    noticedBy: served,
  }),
  'reply-role': relayedValue({
    about: 'the role in a reply',
    carrier: inReply('choices', 0, 'message', 'role'),
    hows: { ...wordDistortions, 'from-the-wrong-side': always('user') },
    empty: {},
    mode: 'reply',
    noticedBy: served,
  }),
  'reply-content': relayedValue({
    about: 'the text of a reply',
    carrier: inReply('choices', 0, 'message', 'content'),
    hows: {
      lost,
      'lost-when-empty': ofText((text) => (text === '' ? null : text)),
      'type-changed': (text) => [{ type: 'text', text }],
      'space-changed': ofText((text) => text.trim()),
      truncated: ofText((text) => text.slice(0, 4096)),
      'from-the-wrong-side': ofPrevious,
    },
    empty: {
      'case-changed': 'elsewhere',
      'unicode-changed': 'elsewhere',
      'line-ends-changed': 'elsewhere',
      'html-escaped': 'elsewhere',
      'json-escaped': 'elsewhere',
      doubled: 'elsewhere',
    },
    mode: 'reply',
    noticedBy: texts,
  }),
  'reply-finish-reason': relayedValue({
    about: 'the finish reason of a reply',
    carrier: inReply('choices', 0, 'finish_reason'),
    hows: { ...wordDistortions },
    empty: {},
    mode: 'reply',
    noticedBy: served,
  }),
} as const satisfies Readonly<Record<string, What>>
