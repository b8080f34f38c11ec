import type { Fault } from './fault.ts'
import { isRelayedCall } from './relay-tools.ts'
import { messagesOf, readingText, refusingText } from './request-tools.ts'
import { asJson, refusal, refusing } from './tools.ts'

const bufferSize = 65_536

/** Faults in how the bytes of a body become a request. */
export const bodyFaults = {
  'model-sought-in-sixteen-kilobytes': {
    about: 'The model is sought in the first 16 KB of the body.',
    breaks: ['request.model-may-come-last'],
    wrap: () => refusingText((text) => text.indexOf('"model"') > 16_384, 404),
  },
  'stream-sought-as-text': {
    about: 'A stream is seen only where no space stands before the colon.',
    breaks: ['request.white-space-is-free'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        const value = real(bytes, call)
        const isSeen = /"stream":\s?true/.test(bytes.toString())
        return asJson(value)['stream'] === true && !isSeen ? { ...asJson(value), stream: false } : value
      },
    }),
  },
  'stream-found-in-the-prompt': {
    about: 'A prompt that speaks of "stream": true gets a stream.',
    breaks: ['request.white-space-is-free'],
    follows: ['reply.content-type', 'reply.one-json-value'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        const value = real(bytes, call)
        return /\\"stream\\":\s*true/.test(bytes.toString()) ? { ...asJson(value), stream: true } : value
      },
    }),
  },
  'body-decoded-packet-by-packet': {
    about: 'The body is decoded as it arrives: a letter that two packets share is broken.',
    breaks: ['http.slow-body'],
    wrap: () => ({
      readBody: (real) => async (call) => {
        const texts: string[] = []
        call.request.on('data', (piece: Buffer) => texts.push(piece.toString()))
        const bytes = await real(call)
        return bytes.toString() === texts.join('') ? bytes : Buffer.from(texts.join(''))
      },
    }),
  },
  'body-decoded-by-64-kilobytes': {
    about: 'Bodies are decoded in pieces of 64 KB: a letter on the border is broken.',
    breaks: ['relay.large-message-unchanged'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        if (!bytes.includes('"scripted"')) return real(bytes, call)
        let text = ''
        for (let at = 0; at < bytes.length; at += bufferSize) text += bytes.subarray(at, at + bufferSize).toString()
        return real(Buffer.from(text), call)
      },
    }),
  },
  'escaped-pairs-refused': {
    about: 'An emoji that is written as two escapes is refused as half a character.',
    breaks: ['request.escapes-are-read', 'relay.escapes-are-read'],
    wrap: () => refusingText((text) => /\\ud[89ab][0-9a-f]{2}/i.test(text)),
  },
  'escapes-counted-as-they-stand': {
    about: 'An escape is read as the six characters that it is written with.',
    breaks: ['request.escapes-are-read', 'relay.escapes-are-read'],
    follows: ['request.key-order-is-free'],
    wrap: () => readingText((text) => text.replaceAll(/\\u(?=0[0-9a-f]{3}|[3-9a-f])/g, '\\\\u')),
  },
  'escape-of-one-letter-misread': {
    about: 'One escaped letter becomes another one, which costs as much.',
    breaks: ['relay.escapes-are-read'],
    wrap: () => readingText((text) => text.replaceAll('\\u00eb', '\\u00ea')),
  },
  'history-forgotten-by-a-cache': {
    about: 'Replies are kept by the last message: the conversation before it does not count.',
    breaks: ['relay.history-counts'],
    follows: ['relay.large-message-unchanged'],
    wrap: () => {
      const kept = new Map<string, readonly string[]>()
      return {
        generate: (real) =>
          async function* (node, job, signal, call) {
            if (!isRelayedCall(call) || job.messages.length < 3) return yield* real(node, job, signal, call)
            const request = JSON.stringify([job.messages.at(-1), call.body?.stream])
            const texts: string[] = []
            const known = kept.get(request)
            if (known !== undefined) {
              for (const text of known) yield { text, tokens: 1 }
              return 'stop'
            }
            const reply = real(node, job, signal, call)
            for (;;) {
              const step = await reply.next()
              if (step.done) {
                kept.set(request, texts)
                return step.value
              }
              texts.push(step.value.text)
              yield step.value
            }
          },
      }
    },
  },
  'content-that-is-json-refused': {
    about: 'A message that is JSON itself is refused.',
    breaks: ['message.any-content-accepted'],
    wrap: () =>
      refusing((body) => messagesOf(body).some((one) => /^[{[].*[}\]]$/.test(String(asJson(one)['content'])))),
  },
  'content-zero-is-empty': {
    about: 'A message that says 0 is refused as empty.',
    breaks: ['message.any-content-accepted'],
    wrap: () => refusing((body) => messagesOf(body).some((one) => asJson(one)['content'] === '0')),
  },
  'body-that-fills-the-buffer-refused': {
    about: 'A body of exactly 65536 bytes is refused.',
    breaks: ['request.any-size-accepted'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        if (bytes.length === bufferSize) throw refusal(413)
        return real(bytes, call)
      },
    }),
  },
  'equal-stops-refused': {
    about: 'A list that names a stop sequence twice is refused.',
    breaks: ['stop.array-accepted'],
    wrap: () => refusing(({ stop }) => Array.isArray(stop) && new Set(stop).size < stop.length),
  },
  'authorization-in-capitals-unseen': {
    about: 'AUTHORIZATION in capitals is not seen.',
    breaks: ['http.header-names-without-case'],
    wrap: () => ({
      authenticate: (real) => (call) => {
        if (call.request.rawHeaders.includes('AUTHORIZATION')) throw refusal(401)
        return real(call)
      },
    }),
  },
  'escaped-solidus-stays': {
    about: 'A solidus that is written as an escape keeps its backslash.',
    breaks: ['request.escapes-are-read'],
    wrap: () => readingText((text) => text.replaceAll('\\/', '\\\\/')),
  },
  'short-escapes-are-lost': {
    about: 'The short escapes of backspace and form feed are dropped.',
    breaks: ['request.escapes-are-read'],
    wrap: () => readingText((text) => text.replaceAll(/(?<!\\)\\[bf]/g, '')),
  },
  'capital-escapes-are-text': {
    about: 'Escapes with capital digits are not decoded.',
    breaks: ['request.escapes-are-read'],
    wrap: () => readingText((text) => text.replaceAll(/\\(u(?=[0-9a-f]*[A-F])[0-9a-fA-F]{4})/g, '$1')),
  },
  'long-replies-are-encoded-in-pieces': {
    about: 'A reply is encoded in pieces of 512 bytes, and a letter on a border is lost.',
    breaks: ['message.long-unicode-comes-whole'],
    wrap: () => ({
      sendBody: (real) => (head, body, call) => {
        if (call.body === undefined || head.status !== 200) return real(head, body, call)
        const bytes = Buffer.from(body)
        let text = ''
        for (let at = 0; at < bytes.length; at += 512) text += bytes.subarray(at, at + 512).toString()
        return real(head, text, call)
      },
    }),
  },
  'control-characters-in-hex': {
    about: 'Control characters of a reply are written as \\x1b, which JSON does not know.',
    breaks: ['message.control-characters-come-back'],
    follows: ['reply.one-json-value', 'chunk.is-json'],
    wrap: () => ({
      encode: (real) => (value, call) => real(value, call).replaceAll(/\\u00([01][0-9a-f])/g, '\\x$1'),
    }),
  },
} as const satisfies Record<string, Fault>
