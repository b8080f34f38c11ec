import { asJson } from '../../wraps/json.ts'
import { changingList } from '../../wraps/list.ts'
import { replies, replyText } from '../../wraps/reply.ts'
import { dropping, headerOf, refusing, refusingText } from '../../wraps/request.ts'
import { changingSink, endingStreamsWith, framingEvents, isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-create-chat-completion.ts` must notice. */
export const createChatCompletionFaults = {
  'sse-double-prefix': {
    about: 'Events have their `data:` prefix twice.',
    breaks: ['stream.answers'],
    wrap: () => framingEvents((data) => `data: data: ${data}\n\n`),
  },
  'sse-no-prefix': {
    about: 'Chunks are bare lines of JSON, without the `data:` prefix.',
    breaks: ['stream.answers'],
    wrap: () => framingEvents((data) => `${data}\n\n`),
  },
  'sse-single-newline': {
    about: 'Events do not end with a blank line.',
    breaks: ['stream.answers'],
    wrap: () => framingEvents((data) => `data: ${data}\n`),
  },
  'sse-ndjson': {
    about: 'Chunks are lines of JSON under another media type.',
    breaks: ['stream.answers'],
    wrap: () => ({
      ...framingEvents((data) => `${data}\n`),
      ...endingStreamsWith(''),
      streamHead: () => () => ({ status: 200, headers: { 'content-type': 'application/x-ndjson' } }),
    }),
  },
  'sse-as-json': {
    about: 'A stream is labelled application/json.',
    breaks: ['stream.content-type'],
    wrap: () => ({
      streamHead: (real) => (call) => ({ ...real(call), headers: { 'content-type': 'application/json' } }),
    }),
  },
  'sse-as-text': {
    about: 'A stream is labelled text/plain.',
    breaks: ['stream.content-type'],
    wrap: () => ({ streamHead: (real) => (call) => ({ ...real(call), headers: { 'content-type': 'text/plain' } }) }),
  },
  'sse-zero-bytes': {
    about: 'A stream has status 200 and no bytes.',
    breaks: ['stream.answers'],
    wrap: () => ({ ...framingEvents(() => ''), ...endingStreamsWith('') }),
  },
  'sse-done-only': {
    about: 'A stream holds nothing but the [DONE] marker.',
    breaks: ['stream.answers'],
    wrap: () => framingEvents(() => ''),
  },
  'sse-hangs': {
    about: 'A stream never sends a byte.',
    breaks: ['stream.answers'],
    wrap: () => ({
      openStream: (real) => (head, call) =>
        isStream(call)
          ? {
              write: () => Promise.resolve(),
              end: () => new Promise((gone) => call.left.addEventListener('abort', () => gone())),
            }
          : real(head, call),
    }),
  },
  'sse-cut-midway': {
    about: 'The connection is cut in the middle of every stream.',
    breaks: ['stream.answers'],
    wrap: () =>
      changingSink((sink, call) => {
        let writes = 0
        return {
          ...sink,
          write: async (text) => {
            writes += 1
            if (writes === 5) call.response.destroy()
            else await sink.write(text)
          },
        }
      }),
  },
  'stream-for-accept-header': {
    about: 'A request that accepts event streams gets one, whatever `stream` says.',
    breaks: ['stream.absent-means-json'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return call.request.headers.accept === 'text/event-stream' ? { ...body, stream: true } : body
      },
    }),
  },
  'stream-by-default': {
    about: 'A request without `stream` gets a stream.',
    breaks: ['stream.absent-means-json'],
    wrap: () => ({
      validate: (real) => (value, call) => ({ ...real(value, call), stream: asJson(value)['stream'] !== false }),
    }),
  },
  'stream-false-ignored': {
    about: 'A request with `stream: false` gets a stream.',
    breaks: ['stream.false-means-json'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return asJson(value)['stream'] === false ? { ...body, stream: true } : body
      },
    }),
  },
  'stream-ignored': {
    about: 'A request with `stream: true` gets one JSON object.',
    breaks: ['stream.answers'],
    wrap: () => ({ validate: (real) => (value, call) => ({ ...real(value, call), stream: false }) }),
  },
  'stream-needs-accept-header': {
    about: 'A stream is sent only to those who accept event streams.',
    breaks: ['stream.true-means-events', 'stream.content-type'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return call.request.headers.accept === 'application/json' ? { ...body, stream: false } : body
      },
    }),
  },
  'stream-string-is-true': {
    about: 'A `stream` of "true" in quotes is taken as true.',
    breaks: ['stream.wrong-type-refused'],
    wrap: () => ({
      validate: (real) => (value, call) =>
        real(asJson(value)['stream'] === 'true' ? { ...asJson(value), stream: true } : value, call),
    }),
  },
  'one-model-fails': {
    about: 'A listed model is answered with 404.',
    breaks: ['reply.model-each', 'model.down-and-up'],
    wrap: () => ({ findModel: (real) => (id, call) => (id === 'large' ? undefined : real(id, call)) }),
  },
  'one-model-does-not-stream': {
    about: 'One model answers stream requests with JSON.',
    breaks: ['stream.model-each', 'stream.content-type'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return body.model === 'medium' ? { ...body, stream: false } : body
      },
    }),
  },
  'stream-zero-is-false': {
    about: 'A `stream` of 0 is taken as false.',
    breaks: ['stream.wrong-type-refused'],
    wrap: () => dropping('stream', (value) => value === 0),
  },
  'stream-word-is-false': {
    about: 'A `stream` of "false" in quotes is taken as false.',
    breaks: ['stream.wrong-type-refused'],
    wrap: () => dropping('stream', (value) => value === 'false'),
  },
  'models-placeholder-listed': {
    about: 'The model list contains a made-up model.',
    breaks: ['reply.model-each'],
    wrap: () =>
      changingList((list) => ({
        ...list,
        data: [
          list['data'],
          {
            id: 'default',
            object: 'model',
            owned_by: 'assay',
            pricing: { prompt: 0.9, completion: 0.9, unit: 'per_million_tokens' },
          },
        ].flat(),
      })),
  },
  'unknown-field-is-500': {
    about: 'An unknown field with an object in it crashes the handler.',
    breaks: ['request.unknown-fields-no-server-error'],
    wrap: () => refusing((body) => typeof body['x_unknown'] === 'object', 500),
  },
  'user-null-is-500': {
    about: 'A null in a field that clients often leave unset crashes the handler.',
    breaks: ['request.unknown-fields-no-server-error'],
    wrap: () => refusing((body) => body['user'] === null, 500),
  },
  'stream-options-without-stream-is-500': {
    about: 'stream_options next to `stream: false` crashes the handler.',
    breaks: ['request.unknown-fields-no-server-error'],
    wrap: () => refusing((body) => body['stream_options'] !== undefined && body['stream'] === false, 500),
  },
  'escaped-model-not-found': {
    about: 'A model id written with escapes is looked up as raw text, and not found.',
    breaks: ['request.key-order-is-free'],
    wrap: () => refusingText((text) => text.includes('"model":"\\u'), 404),
  },
  'model-expected-first': {
    about: 'A body that opens with white space is refused if `model` is not its first field.',
    breaks: ['request.key-order-is-free'],
    wrap: () => refusingText((text) => /^\s+\{\s+"max_tokens"/.test(text)),
  },
  'stream-null-is-500': {
    about: 'A `stream` of null crashes the handler.',
    breaks: ['request.unknown-fields-no-server-error'],
    wrap: () => refusing(({ stream }) => stream === null, 500),
  },
  'reply-is-502': {
    about: 'Non-streamed replies always fail with 502.',
    breaks: ['chat.answers'],
    wrap: () => ({ replyHead: (real) => (call) => ({ ...real(call), status: 502 }) }),
  },
  'reply-has-no-choices': {
    about: 'A reply has no choices.',
    breaks: ['chat.answers'],
    wrap: () => replies(({ choices: _, ...reply }) => reply),
  },
  'reply-as-text': {
    about: 'Replies are labelled text/plain.',
    breaks: ['reply.content-type'],
    wrap: () => ({ replyHead: (real) => (call) => ({ ...real(call), headers: { 'content-type': 'text/plain' } }) }),
  },
  'reply-as-events-for-accept-header': {
    about: 'A reply to a request that accepts event streams is JSON, and labelled as a stream.',
    breaks: ['reply.content-type'],
    wrap: () => ({
      replyHead: (real) => (call) => {
        const head = real(call)
        if (headerOf(call, 'accept') !== 'text/event-stream') return head
        return { ...head, headers: { ...head.headers, 'content-type': 'text/event-stream' } }
      },
    }),
  },
  'reply-as-text-when-long': {
    about: 'Long replies are labelled text/html.',
    breaks: ['reply.content-type'],
    wrap: () => ({
      sendBody: (real) => (head, body, call) =>
        real(
          head.status === 200 && body.length > 480 && call.request.method === 'POST'
            ? { ...head, headers: { ...head.headers, 'content-type': 'text/html' } }
            : head,
          body,
          call,
        ),
    }),
  },
  'reply-in-two-values': {
    about: 'A second JSON value follows a long reply.',
    breaks: ['reply.one-json-value'],
    follows: ['usage.present', 'usage.present-without-limit'],
    wrap: () => replyText((text) => (text.length > 480 ? `${text}\n{"done":true}` : text)),
  },
  'reply-in-latin-1': {
    about: 'Replies are sent as Latin-1.',
    breaks: ['reply.one-json-value', 'message.unicode-accepted'],
    wrap: () => ({
      sendBody: (real) => async (head, body, call) => {
        if (head.status !== 200 || call.request.method !== 'POST') return real(head, body, call)
        const bytes = Buffer.from(body, 'latin1')
        call.response.writeHead(200, { ...head.headers, 'content-length': bytes.length })
        await new Promise<void>((done) => call.response.once('close', done).end(bytes))
      },
    }),
  },
} as const satisfies Record<string, Fault>
