import { inChunks } from './carriers.ts'
import { always, lost, ofText } from './hows.ts'
import { served, texts } from './noticed.ts'
import { relayedValue } from './relayed-value.ts'
import type { What } from './what.ts'

/** What the chunks of a stream say. */
export const whatsStreamed = {
  'chunk-id': relayedValue({
    about: 'the id of a chunk',
    carrier: inChunks('id'),
    hows: {
      lost,
      'type-changed': always(7),
      truncated: always(''),
      'from-the-wrong-side': (value, _, { index }) => (index === 0 ? value : `${value}-${index}`),
    },
    empty: { 'case-changed': 'unseen' },
    emptyAt: { 'from-the-wrong-side': { 'first-element': 'unseen' } },
    mode: 'stream',
    inList: true,
    noticedBy: served,
  }),
  'chunk-object': relayedValue({
    about: '`object` of a chunk',
    carrier: inChunks('object'),
    hows: {
      'type-changed': (value) => [value],
      'case-changed': always('CHAT.COMPLETION.CHUNK'),
      'from-the-wrong-side': always('chat.completion'),
    },
    empty: { lost: 'open' },
    mode: 'stream',
    inList: true,
    noticedBy: served,
  }),
  'chunk-created': relayedValue({
    about: 'the time of a chunk',
    carrier: inChunks('created'),
    hows: { 'type-changed': String, raised: (value) => Number(value) * 1000 },
    empty: { lost: 'open', rounded: 'unseen' },
    mode: 'stream',
    inList: true,
    noticedBy: served,
  }),
  'chunk-model': relayedValue({
    about: 'the model that a chunk names',
    carrier: inChunks('model'),
    hows: {
      'type-changed': (value) => [value],
      'case-changed': ofText((text) => text.toUpperCase()),
      'from-the-wrong-side': always('/models/node.gguf'),
    },
    empty: { lost: 'open' },
    mode: 'stream',
    inList: true,
    noticedBy: served,
  }),
  'chunk-choices': relayedValue({
    about: 'the list of choices of a chunk',
    carrier: inChunks('choices'),
    hows: { lost, truncated: always([]) },
    empty: { doubled: 'open' },
    // Neither the chunk of the role nor that of the finish reason has to be sent.
    emptyAt: { truncated: { 'first-element': 'open', 'last-element': 'open' } },
    mode: 'stream',
    inList: true,
    noticedBy: texts,
  }),
  'chunk-index': relayedValue({
    about: 'the index of a choice of a chunk',
    carrier: inChunks('choices', 0, 'index'),
    hows: { lost, 'type-changed': String, raised: always(1) },
    empty: {},
    mode: 'stream',
    inList: true,
    noticedBy: served,
  }),
  'chunk-delta': relayedValue({
    about: 'the delta of a chunk',
    carrier: inChunks('choices', 0, 'delta'),
    hows: { lost, 'type-changed': (value) => JSON.stringify(value) },
    empty: {},
    mode: 'stream',
    inList: true,
    noticedBy: texts,
  }),
  'chunk-content': relayedValue({
    about: 'the text of a chunk',
    carrier: inChunks('choices', 0, 'delta', 'content'),
    hows: {
      lost,
      'type-changed': ofText((text) => [{ type: 'text', text }]),
      'space-changed': ofText((text) => text.trim()),
      truncated: ofText((text) => text.slice(0, 4096)),
      doubled: ofText((text) => text + text),
    },
    empty: {
      'case-changed': 'elsewhere',
      'unicode-changed': 'elsewhere',
      'line-ends-changed': 'elsewhere',
      'html-escaped': 'elsewhere',
      'json-escaped': 'elsewhere',
      'from-the-wrong-side': 'elsewhere',
      merged: 'open',
      'lost-when-empty': 'unseen',
    },
    // The first chunk has an empty text, and the last none.
    emptyAt: Object.fromEntries(
      (['lost', 'type-changed', 'space-changed', 'truncated', 'doubled'] as const).map((how) => [
        how,
        { 'first-element': 'unseen', 'last-element': 'unseen' },
      ]),
    ),
    mode: 'stream',
    inList: true,
    noticedBy: texts,
  }),
  'chunk-finish-reason': relayedValue({
    about: 'the finish reason of a stream',
    carrier: inChunks('choices', 0, 'finish_reason'),
    hows: {
      'type-changed': (value) => (value === null ? value : [value]),
      'case-changed': ofText((text) => text.toUpperCase()),
    },
    empty: { lost: 'open', 'from-the-wrong-side': 'elsewhere' },
    mode: 'stream',
    noticedBy: served,
  }),
} as const satisfies Readonly<Record<string, What>>
