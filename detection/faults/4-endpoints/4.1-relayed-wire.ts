import { contentTypeOf } from '../../../reference-server/network/node.ts'
import { NodeFailure } from '../../../reference-server/network/node-failure.ts'
import { asJson } from '../../wraps/json.ts'
import { decode, encode, readsOf, respelling } from '../../wraps/node-body.ts'
import { changingFragments, mangling, tapping } from '../../wraps/relay.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-wire.ts` must notice. */
export const relayedWireFaults = {
  'relay-decodes-piece-by-piece': {
    about: 'Bytes from a node are decoded as they come, so a character split in two is lost.',
    breaks: ['relay.pause-inside-a-character'],
    wrap: () => mangling((bytes) => encode(decode(bytes))),
  },
  'relay-decodes-each-read': {
    about:
      'What arrives from a node within 10 ms is read at once and decoded by itself, so a character split in two is lost.',
    breaks: ['relay.pause-inside-a-character'],
    wrap: () => tapping((reply) => ({ ...reply, body: decodedByRead(reply.body, 10) })),
  },
  'relay-decodes-each-read-of-json': {
    about: 'For replies that are not streamed, each read from a node is decoded by itself.',
    breaks: ['relay.pause-inside-a-character'],
    wrap: () => tapping((reply, call) => (isStream(call) ? reply : { ...reply, body: decodedByRead(reply.body, 10) })),
  },
  'relay-reads-latin-1': {
    about: 'A stream whose media type names no charset is read as Latin-1.',
    breaks: ['relay.stream-text-exact', 'relay.reply-text-exact'],
    wrap: () =>
      tapping((reply) =>
        contentTypeOf(reply).includes('charset') ? reply : { ...reply, body: decodedBy(reply.body, 'latin1') },
      ),
  },
  'relay-takes-each-read-for-lines': {
    about: 'What arrives from a node within 10 ms is taken for whole lines, so a line that a pause splits is lost.',
    breaks: ['relay.pause-inside-a-line'],
    follows: ['relay.long-text'],
    wrap: () => tapping((reply) => ({ ...reply, body: wholeLinesOf(reply.body, 10) })),
  },
  'relay-breaks-pairs-of-escapes': {
    about: "Escapes in a node's JSON are read one by one, so a letter that takes two of them is lost.",
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling(respelling(/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/g, '\\ufffd\\ufffd')),
  },
  'relay-wants-a-bare-media-type': {
    about: "A node's stream whose media type has a charset is taken for a failure.",
    breaks: ['relay.media-type-with-a-charset'],
    wrap: () =>
      tapping((reply) => (contentTypeOf(reply).startsWith('text/event-stream;') ? { ...reply, status: 500 } : reply)),
  },
  'relay-ignores-carriage-returns': {
    about: "Carriage returns in a node's stream are not read as line ends.",
    breaks: ['relay.bare-carriage-returns'],
    wrap: () => mangling(editingAscii((text) => text.replaceAll('\r', ''))),
  },
  'relay-knows-line-feeds-only': {
    about: "A carriage return and a line feed do not end a line of a node's stream.",
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling(editingAscii((text) => text.replaceAll('\r\n', ' '))),
  },
  'relay-cuts-long-lines': {
    about: "What is beyond 64 KiB in a line of a node's stream is lost.",
    breaks: ['relay.long-lines'],
    wrap: () => changingFragments((text) => text.slice(0, 65_536)),
  },
  'relay-knows-no-comments': {
    about: "A comment in a node's stream is taken for a failure.",
    breaks: ['relay.any-form-of-stream'],
    wrap: () =>
      mangling((bytes) => {
        if (/[\r\n]:/.test(decode(bytes))) throw new NodeFailure('broken', 'what is this line?')
        return bytes
      }),
  },
  'relay-wants-a-length': {
    about: "Replies are asked for as JSON, and a node's JSON whose head announces no length is taken for empty.",
    breaks: ['relay.any-form-of-stream'],
    wrap: () => ({
      writeRequest: (real) => (request, call) => {
        const { headers, body } = real(request, call)
        const { stream_options: _, ...asked } = asJson(body)
        return isStream(call) ? { headers, body } : { headers, body: { ...asked, stream: false } }
      },
      ...tapping((reply) =>
        contentTypeOf(reply).includes('json') && reply.headers['content-length'] === undefined
          ? { ...reply, body: nothing() }
          : reply,
      ),
    }),
  },
  'relay-wants-a-space': {
    about: "Lines of a node's stream without a space after the colon are not read.",
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling(editingAscii((text) => text.replaceAll('data:{', 'dat_:{'))),
  },
} as const satisfies Record<string, Fault>

/** A body without a byte. */
async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Edits the ASCII in a piece of a stream; letters of several bytes, perhaps cut in two, come through unchanged. */
function editingAscii(edit: (text: string) => string): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => Buffer.from(edit(Buffer.from(bytes).toString('latin1')), 'latin1')
}

/** A body as somebody reads it who decodes each read by itself. */
async function* decodedByRead(body: AsyncIterable<Uint8Array>, withinMs: number) {
  for await (const bytes of readsOf(body, withinMs)) yield encode(decode(bytes))
}

/** A body whose bytes are taken for those of another encoding. */
async function* decodedBy(body: AsyncIterable<Uint8Array>, encoding: 'latin1') {
  for await (const bytes of body) yield encode(Buffer.from(bytes).toString(encoding))
}

/** A body as somebody reads it who keeps no half line for the next read. */
async function* wholeLinesOf(body: AsyncIterable<Uint8Array>, withinMs: number) {
  for await (const bytes of readsOf(body, withinMs)) {
    const end = Buffer.from(bytes).lastIndexOf('\n')
    if (end !== -1) yield bytes.subarray(0, end + 1)
  }
}
