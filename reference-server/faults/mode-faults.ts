import type { Fault } from './fault.ts'
import { asJson, dropping, refusal } from './tools.ts'

/** Faults in which mode a request gets, and from which model. */
export const modeFaults = {
  'stream-for-accept-header': {
    about: 'A request that accepts event streams gets one, whatever `stream` says.',
    breaks: ['stream.false-means-json', 'reply.content-type', 'reply.one-json-value', 'stream.absent-means-json'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return call.request.headers.accept === 'text/event-stream' ? { ...body, stream: true } : body
      },
    }),
  },
  'stream-by-default': {
    about: 'A request without `stream` gets a stream.',
    breaks: ['chat.answers'],
    wrap: () => ({
      validate: (real) => (value, call) => ({ ...real(value, call), stream: asJson(value)['stream'] !== false }),
    }),
  },
  'stream-false-ignored': {
    about: 'A request with `stream: false` gets a stream.',
    breaks: ['stream.false-means-json', 'reply.content-type', 'reply.one-json-value'],
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
    about: 'A `stream` in quotes counts as true.',
    breaks: ['stream.wrong-type-refused'],
    wrap: () => ({
      validate: (real) => (value, call) =>
        real(asJson(value)['stream'] === 'true' ? { ...asJson(value), stream: true } : value, call),
    }),
  },
  'one-model-fails': {
    about: 'A model that is listed answers 404.',
    breaks: ['reply.model-each', 'model.down-and-up'],
    wrap: () => ({ findModel: (real) => (id, call) => (id === 'large' ? undefined : real(id, call)) }),
  },
  'one-model-does-not-stream': {
    about: 'One model answers streams with JSON.',
    breaks: ['stream.model-each', 'stream.content-type'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = real(value, call)
        return body.model === 'medium' ? { ...body, stream: false } : body
      },
    }),
  },
  'chat-under-another-prefix': {
    about: 'The chat endpoint is missing under the version prefix.',
    breaks: ['version.routes-under-prefix', 'chat.answers', 'stream.answers'],
    wrap: () => ({
      authenticate: (real) => (call) => {
        if (call.request.method === 'POST') throw refusal(404)
        return real(call)
      },
    }),
  },
  'stream-zero-is-false': {
    about: 'A stream of 0 counts as false.',
    breaks: ['stream.wrong-type-refused'],
    wrap: () => dropping('stream', (value) => value === 0),
  },
  'stream-word-is-false': {
    about: 'A stream of "false" counts as false.',
    breaks: ['stream.wrong-type-refused'],
    wrap: () => dropping('stream', (value) => value === 'false'),
  },
} as const satisfies Record<string, Fault>
