import type { Fault } from './fault.ts'
import { readingMessages, readingText, refusingText } from './request-tools.ts'
import { asJson, asksForStream, reading, refusal, refusing, refusingWith } from './tools.ts'

const greeting = { role: 'user', content: 'Hello.' }

/** Faults of the body, its fields and its size. */
export const requestFaults = {
  'model-missing-served': {
    about: 'A request without a model is served by the first one.',
    breaks: ['request.model-required'],
    wrap: () => reading((body) => (body['model'] === undefined ? { ...body, model: 'small' } : body)),
  },
  'model-missing-served-in-streams': {
    about: 'A stream without a model is served by the first one.',
    breaks: ['request.model-required'],
    wrap: () =>
      reading((body) => (body['model'] === undefined && asksForStream(body) ? { ...body, model: 'small' } : body)),
  },
  'model-list-takes-first': {
    about: 'A list with one model in it is taken for that model.',
    breaks: ['request.model-wrong-type-refused'],
    wrap: () =>
      reading((body) => ({ ...body, model: Array.isArray(body['model']) ? (body['model'][0] ?? 0) : body['model'] })),
  },
  'model-null-served': {
    about: 'A model of null is served by the first one.',
    breaks: ['request.model-wrong-type-refused'],
    wrap: () => reading((body) => (body['model'] === null ? { ...body, model: 'small' } : body)),
  },
  'model-number-is-500': {
    about: 'A model that is a number crashes the handler.',
    breaks: ['request.model-wrong-type-refused'],
    wrap: () => refusing((body) => typeof body['model'] === 'number', 500),
  },
  'model-empty-is-500': {
    about: 'A model that is an empty string crashes the handler.',
    breaks: ['unknown-model.no-server-error'],
    wrap: () => refusing((body) => body['model'] === '', 500),
  },
  'messages-missing-served': {
    about: 'A request without messages gets a completion.',
    breaks: ['request.messages-required'],
    wrap: () => reading((body) => (body['messages'] === undefined ? { ...body, messages: [greeting] } : body)),
  },
  'messages-missing-served-in-streams': {
    about: 'A stream without messages gets a completion.',
    breaks: ['request.messages-required'],
    wrap: () =>
      reading((body) =>
        body['messages'] === undefined && asksForStream(body) ? { ...body, messages: [greeting] } : body,
      ),
  },
  'messages-string-served': {
    about: 'Messages that are one string are taken for a user message.',
    breaks: ['request.messages-wrong-type-refused'],
    wrap: () =>
      reading((body) =>
        typeof body['messages'] === 'string'
          ? { ...body, messages: [{ role: 'user', content: body['messages'] }] }
          : body,
      ),
  },
  'messages-string-is-500-in-streams': {
    about: 'Messages that are one string crash the streaming handler.',
    breaks: ['request.messages-wrong-type-refused'],
    wrap: () => refusing((body) => typeof body['messages'] === 'string' && asksForStream(body), 500),
  },
  'messages-one-object-served': {
    about: 'One message in place of the list is served.',
    breaks: ['request.messages-wrong-type-refused'],
    wrap: () =>
      reading((body) =>
        asJson(body['messages'])['role'] === undefined ? body : { ...body, messages: [body['messages']] },
      ),
  },
  'messages-null-is-500': {
    about: 'Messages of null crash the handler.',
    breaks: ['request.messages-wrong-type-refused'],
    wrap: () => refusing((body) => body['messages'] === null, 500),
  },
  'messages-missing-is-404': {
    about: 'A request without messages is told that its model does not exist.',
    breaks: ['request.messages-missing-not-404'],
    wrap: () => refusingWith(404, (body) => body['messages'] === undefined),
  },
  'messages-of-wrong-type-are-404': {
    about: 'Messages that are no list are answered with 404.',
    breaks: ['request.messages-missing-not-404'],
    wrap: () => refusingWith(404, (body) => typeof body['messages'] === 'number'),
  },
  'body-null-is-500': {
    about: 'A body of null crashes the handler.',
    breaks: ['request.body-not-object-refused'],
    wrap: () => refusingText((text) => text === 'null', 500),
  },
  'body-list-is-500': {
    about: 'A body that is a list crashes the handler.',
    breaks: ['request.body-not-object-refused'],
    wrap: () => refusingText((text) => text.startsWith('['), 500),
  },
  'unknown-field-is-500': {
    about: 'A field with an object in it that is not known crashes the handler.',
    breaks: ['request.unknown-fields-no-server-error'],
    wrap: () => refusing((body) => typeof body['x_unknown'] === 'object', 500),
  },
  'user-null-is-500': {
    about: 'A null in a field that clients often leave unset crashes the handler.',
    breaks: ['request.unknown-fields-no-server-error'],
    wrap: () => refusing((body) => body['user'] === null, 500),
  },
  'stream-options-without-stream-is-500': {
    about: 'Stream options beside `stream: false` crash the handler.',
    breaks: ['request.unknown-fields-no-server-error'],
    wrap: () => refusing((body) => body['stream_options'] !== undefined && body['stream'] === false, 500),
  },
  'escaped-model-not-found': {
    about: 'A model id that is spelt with escapes is looked for in the raw text, and not found.',
    breaks: ['request.key-order-is-free'],
    wrap: () => refusingText((text) => text.includes('"model":"\\u'), 404),
  },
  'model-expected-first': {
    about: 'A body whose first field is not the model is refused when white space opens it.',
    breaks: ['request.key-order-is-free'],
    wrap: () => refusingText((text) => /^\s+\{\s+"max_tokens"/.test(text)),
  },
  'malformed-json-is-500': {
    about: 'A body that is no JSON crashes the handler.',
    breaks: [
      'http.malformed-json-refused',
      'temperature.odd-numbers-no-server-error',
      'top-p.odd-numbers-no-server-error',
      'max-tokens.odd-values-graceful',
    ],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        try {
          return real(bytes, call)
        } catch (error) {
          throw bytes.toString().includes('\ufffd') ? error : refusal(500)
        }
      },
    }),
  },
  'empty-body-is-500': {
    about: 'An empty body crashes the handler.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => refusingText((text) => text === '', 500),
  },
  'broken-stream-request-is-500': {
    about: 'A body that breaks off behind `"stream":true` crashes the handler.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => refusingText((text) => text.includes('"stream":true') && !text.endsWith('}'), 500),
  },
  'trailing-comma-accepted': {
    about: 'A comma behind the last field is taken, though it is no JSON.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => readingText((text) => text.replace(/,\}$/, '}')),
  },
  'text-behind-json-ignored': {
    about: 'What stands behind the JSON object is ignored.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => readingText((text) => text.replace(/\}\}\}$/, '}}').replace(/(\d\})\}$/, '$1')),
  },
  'broken-json-mended': {
    about: 'A brace that is missing at the end is added in silence.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => readingText((text) => (/"max_tokens":\d+$/.test(text) ? `${text}}` : text)),
  },
  'body-limit-of-a-framework': {
    about: 'Bodies above 100 KB are refused with 413.',
    breaks: ['window.large-body-accepted'],
    wrap: () => refusingText((text) => text.length > 100_000, 413),
  },
  'body-limit-of-half-a-megabyte': {
    about: 'Bodies above 512 KB are refused with 413.',
    breaks: ['window.large-body-accepted'],
    wrap: () => refusingText((text) => text.length > 524_288, 413),
  },
  'body-limit-of-sixteen-kilobytes-is-500': {
    about: 'Bodies above 16 KB crash the handler.',
    breaks: ['window.large-body-accepted', 'window.oversize-graceful'],
    wrap: () => refusingText((text) => text.length > 16_384, 500),
  },
  'body-limit-in-streams': {
    about: 'Streams refuse bodies above 100 KB.',
    breaks: ['window.large-body-accepted-streaming'],
    wrap: () => refusingText((text) => text.length > 100_000 && text.includes('"stream":true'), 413),
  },
  'long-prompt-cut': {
    about: 'A prompt is cut behind 60 KB in silence.',
    breaks: ['window.large-prompt-counted-whole'],
    follows: ['window.excess-counted-whole'],
    wrap: () =>
      readingMessages((one) =>
        typeof asJson(one)['content'] === 'string'
          ? { ...asJson(one), content: String(asJson(one)['content']).slice(0, 60_000) }
          : one,
      ),
  },
  'oversize-is-500': {
    about: 'A prompt beyond the context window crashes the node.',
    breaks: ['window.oversize-graceful'],
    wrap: () => refusingText((text) => text.length > 900_000, 500),
  },
  'bad-request-poisons-the-next': {
    about: 'Once a bad request was refused, some prompts fail.',
    breaks: ['http.serves-after-bad-requests'],
    wrap: () => {
      let poisoned = false
      return {
        validate: (real) => (value, call) => {
          if (poisoned && JSON.stringify(value).includes('once again')) throw refusal(500)
          poisoned ||= asJson(value)['top_p'] === 9
          return real(value, call)
        },
      }
    },
  },
  'stream-null-is-500': {
    about: 'A stream of null crashes the handler.',
    breaks: ['request.unknown-fields-no-server-error'],
    wrap: () => refusing(({ stream }) => stream === null, 500),
  },
} as const satisfies Record<string, Fault>
