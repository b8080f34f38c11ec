import { refusingText } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.2-text.ts` must notice. */
export const textFaults = {
  'long-replies-are-encoded-in-pieces': {
    about: 'A reply is encoded in pieces of 512 bytes, and a character split between two pieces is lost.',
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
    about: 'Control characters in a reply are written as \\x1b, which JSON does not know.',
    breaks: ['message.control-characters-come-back'],
    follows: ['reply.one-json-value', 'chunk.is-json'],
    wrap: () => ({
      encode: (real) => (value, call) => real(value, call).replaceAll(/\\u00([01][0-9a-f])/g, '\\x$1'),
    }),
  },
  'invalid-utf8-is-500': {
    about: 'A body that is not UTF-8 crashes the handler.',
    breaks: ['message.invalid-utf8-answered'],
    wrap: () => refusingText((text) => text.includes('\ufffd\ufffd'), 500),
  },
  'invalid-utf8-cuts-the-connection': {
    about: 'A body that is not UTF-8 gets no answer at all.',
    breaks: ['message.invalid-utf8-answered'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        if (bytes.toString().includes('\ufffd\ufffd')) call.response.destroy()
        return real(bytes, call)
      },
    }),
  },
} as const satisfies Record<string, Fault>
