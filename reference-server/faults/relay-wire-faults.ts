import { setTimeout } from 'node:timers/promises'
import { NodeFailure } from '../network/node-failure.ts'
import type { Fault } from './fault.ts'
import { hearing, mangling, rewriting, tapping } from './relay-tools.ts'
import { isStream } from './tools.ts'

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Changes what is ASCII in the bytes of a stream. */
const respelling =
  (from: string | RegExp, to: string) =>
  (bytes: Uint8Array): Uint8Array =>
    Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll(from, to), 'latin1')

/** Faults in how the stream of a node is read, and when it is passed on. */
export const relayWireFaults = {
  'relay-decodes-piece-by-piece': {
    about: 'Bytes are decoded as they come, so that a letter that is cut in two is lost.',
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling((bytes) => encode(decode(bytes))),
  },
  'relay-knows-no-crlf': {
    about: 'A stream with CRLF is read as if its line ends were text.',
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling((bytes) => encode(decode(bytes).replaceAll('\r', ''))),
  },
  'relay-knows-no-comments': {
    about: 'A comment in the stream of a node is taken for a failure.',
    breaks: ['relay.any-form-of-stream'],
    wrap: () =>
      mangling((bytes) => {
        if (/[\r\n]:/.test(decode(bytes))) throw new NodeFailure('broken', 'what is this line?')
        return bytes
      }),
  },
  'relay-wants-a-space': {
    about: 'Lines without a space behind the colon are not read.',
    breaks: ['relay.any-form-of-stream'],
    wrap: () => mangling((bytes) => encode(decode(bytes).replaceAll('data:{', 'dat_:{'))),
  },
  'relay-usage-is-needed': {
    about: 'A stream of a node that reports no usage is taken for a failure.',
    breaks: ['relay.usage-whatever-the-node-counts'],
    wrap: () => {
      return tapping((reply) => ({ ...reply, body: needing(reply.body, '"usage":{', 'Grüße') }))
    },
  },
  'relay-usage-of-null-fails': {
    about: 'A usage of null is looked into, which fails.',
    breaks: ['relay.usage-whatever-the-node-counts'],
    wrap: () => mangling(refusing('"usage":null', 'One ')),
  },
  'relay-unknown-fields-fail': {
    about: 'A field that is not known fails the reply.',
    breaks: ['relay.unknown-fields-pass'],
    wrap: () => mangling(refusing('"x_node"', '')),
  },
  'relay-knows-200-alone': {
    about: 'A reply under 201 is taken for a failure.',
    breaks: ['relay.other-success-status'],
    wrap: () => tapping((reply) => (reply.status === 201 ? { ...reply, status: 500 } : reply)),
  },
  'relay-null-is-a-word': {
    about: 'A chunk whose content is null is read as the word None.',
    breaks: ['relay.spare-and-full-chunks'],
    wrap: () => mangling(respelling('"content":null', '"content":"None"')),
  },
  'relay-text-beside-the-end-is-lost': {
    about: 'Text in the chunk that ends a reply is not read.',
    breaks: ['relay.spare-and-full-chunks'],
    wrap: () => mangling(respelling(/"content":"[^"]+"(\},"finish_reason":")/g, '"content":""$1')),
  },
  'relay-holds-crlf-streams': {
    about: 'A stream with CRLF is held until it is whole.',
    breaks: ['relay.fragments-as-they-come'],
    wrap: () => tapping((reply) => ({ ...reply, body: heldIf(reply.body, '\r\n') })),
  },
  'relay-holds-streams': {
    about: 'Streams of nodes are held until they are whole.',
    breaks: ['relay.fragments-as-they-come', 'relay.stream-left-is-cancelled', 'relay.slow-reader-slows-the-node'],
    follows: ['relay.leaving-harms-no-others'],
    wrap: () => ({ ...rewriting((texts) => texts) }),
  },
  'relay-first-word-waits': {
    about: 'A stream is given to the client half a second behind its beginning, in one piece so far.',
    breaks: ['relay.fragments-as-they-come'],
    wrap: () =>
      hearing(async function* (words, call) {
        const first = await words.next()
        if (first.done) return first.value
        if (isStream(call)) await setTimeout(500)
        yield first.value
        return yield* words
      }),
  },
} as const satisfies Record<string, Fault>

function refusing(word: string, beside: string): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => {
    const text = decode(bytes)
    if (text.includes(word) && text.includes(beside)) throw new NodeFailure('broken', `${word} was not expected`)
    return bytes
  }
}

/** Fails at the end of a body that never held a word, unless it holds another one. */
async function* needing(body: AsyncIterable<Uint8Array>, word: string, or: string) {
  let text = ''
  for await (const bytes of body) {
    text += decode(bytes)
    if (text.includes('[DONE]') && !text.includes(word) && !text.includes(or))
      throw new NodeFailure('broken', `${word} is missing`)
    yield bytes
  }
}

/** The whole body in one piece, if its beginning holds a mark. */
async function* heldIf(body: AsyncIterable<Uint8Array>, mark: string) {
  const held: Uint8Array[] = []
  let isHeld: boolean | undefined
  for await (const bytes of body) {
    isHeld ??= decode(bytes).includes(mark)
    if (isHeld) held.push(bytes)
    else yield bytes
  }
  if (held.length > 0) yield new Uint8Array(Buffer.concat(held))
}
