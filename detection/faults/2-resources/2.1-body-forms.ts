import { asJson } from '../../wraps/json.ts'
import { bufferSize, readingText, refusal, refusingText } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.1-body-forms.ts` must notice. */
export const bodyFormsFaults = {
  'model-sought-in-sixteen-kilobytes': {
    about: 'The model is looked for only in the first 16 KB of the body.',
    breaks: ['request.model-may-come-last'],
    wrap: () => refusingText((text) => text.indexOf('"model"') > 16_384, 404),
  },
  'stream-sought-as-text': {
    about: '`stream` is recognised only when no white space precedes its colon.',
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
    about: 'A prompt that contains "stream": true gets a stream.',
    breaks: ['request.white-space-is-free'],
    follows: ['reply.content-type', 'reply.one-json-value'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        const value = real(bytes, call)
        return /\\"stream\\":\s*true/.test(bytes.toString()) ? { ...asJson(value), stream: true } : value
      },
    }),
  },
  'escaped-pairs-refused': {
    about: 'An emoji written as two escapes is refused as half a character.',
    breaks: ['request.escapes-are-read', 'relay.escapes-are-read'],
    wrap: () => refusingText((text) => /\\ud[89ab][0-9a-f]{2}/i.test(text)),
  },
  'escapes-counted-as-they-stand': {
    about: 'An escape is read as the six characters it is written with.',
    breaks: ['request.escapes-are-read', 'relay.escapes-are-read'],
    follows: ['request.key-order-is-free'],
    wrap: () => readingText((text) => text.replaceAll(/\\u(?=0[0-9a-f]{3}|[3-9a-f])/g, '\\\\u')),
  },
  'body-that-fills-the-buffer-refused': {
    about: 'A body of exactly 65,536 bytes is refused.',
    breaks: ['request.any-size-accepted'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        if (bytes.length === bufferSize) throw refusal(413)
        return real(bytes, call)
      },
    }),
  },
  'escaped-solidus-stays': {
    about: 'A slash written as an escape keeps its backslash.',
    breaks: ['request.escapes-are-read'],
    wrap: () => readingText((text) => text.replaceAll('\\/', '\\\\/')),
  },
  'short-escapes-are-lost': {
    about: 'The short escapes for backspace and form feed are dropped.',
    breaks: ['request.escapes-are-read'],
    wrap: () => readingText((text) => text.replaceAll(/(?<!\\)\\[bf]/g, '')),
  },
  'capital-escapes-are-text': {
    about: 'Escapes with capital hexadecimal digits are not decoded.',
    breaks: ['request.escapes-are-read'],
    wrap: () => readingText((text) => text.replaceAll(/\\(u(?=[0-9a-f]*[A-F])[0-9a-fA-F]{4})/g, '$1')),
  },
} as const satisfies Record<string, Fault>
