import { asJson } from '../../wraps/json.ts'
import { asksForStream, changingRefusalStatus, reading, refusing, refusingText } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

const greeting = { role: 'user', content: 'Hello.' }

/** Gateways that the checks of `suites/2-resources/2.1-request.ts` must notice. */
export const requestFaults = {
  'model-missing-served': {
    about: 'A request without a model is served by the first model.',
    breaks: ['request.model-required'],
    wrap: () => reading((body) => (body['model'] === undefined ? { ...body, model: 'small' } : body)),
  },
  'model-missing-served-in-streams': {
    about: 'A stream without a model is served by the first model.',
    breaks: ['request.model-required'],
    wrap: () =>
      reading((body) => (body['model'] === undefined && asksForStream(body) ? { ...body, model: 'small' } : body)),
  },
  'model-list-takes-first': {
    about: 'A list with one model in it is taken as that model.',
    breaks: ['request.model-wrong-type-refused'],
    wrap: () =>
      reading((body) => ({ ...body, model: Array.isArray(body['model']) ? (body['model'][0] ?? 0) : body['model'] })),
  },
  'model-null-served': {
    about: 'A model of null is served by the first model.',
    breaks: ['request.model-null-refused'],
    wrap: () => reading((body) => (body['model'] === null ? { ...body, model: 'small' } : body)),
  },
  'model-number-is-500': {
    about: 'A model that is a number crashes the handler.',
    breaks: ['request.model-wrong-type-refused'],
    wrap: () => refusing((body) => typeof body['model'] === 'number', 500),
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
    about: 'A `messages` that is one string is taken as a user message.',
    breaks: ['request.messages-wrong-type-refused'],
    wrap: () =>
      reading((body) =>
        typeof body['messages'] === 'string'
          ? { ...body, messages: [{ role: 'user', content: body['messages'] }] }
          : body,
      ),
  },
  'messages-string-is-500-in-streams': {
    about: 'A `messages` that is one string crashes the streaming handler.',
    breaks: ['request.messages-wrong-type-refused'],
    wrap: () => refusing((body) => typeof body['messages'] === 'string' && asksForStream(body), 500),
  },
  'messages-one-object-served': {
    about: 'A single message in place of the list is served.',
    breaks: ['request.messages-wrong-type-refused'],
    wrap: () =>
      reading((body) =>
        asJson(body['messages'])['role'] === undefined ? body : { ...body, messages: [body['messages']] },
      ),
  },
  'messages-null-is-500': {
    about: 'A `messages` of null crashes the handler.',
    breaks: ['request.messages-null-refused'],
    wrap: () => refusing((body) => body['messages'] === null, 500),
  },
  'model-missing-is-500': {
    about: 'A request without a model crashes the handler.',
    breaks: ['request.model-missing-is-client-error'],
    wrap: () => refusing((body) => body['model'] === undefined && body['messages'] !== undefined, 500),
  },
  'messages-missing-is-500': {
    about: 'A request without messages crashes the handler.',
    breaks: ['request.messages-missing-not-404'],
    wrap: () => refusing((body) => body['messages'] === undefined && typeof body['model'] === 'string', 500),
  },
  'messages-missing-is-500-in-streams': {
    about: 'A stream without messages crashes the handler.',
    breaks: ['request.messages-missing-not-404'],
    wrap: () => refusing((body) => body['messages'] === undefined && asksForStream(body), 500),
  },
  'messages-missing-is-404': {
    about: 'A request without messages is told that its model does not exist.',
    breaks: ['request.messages-missing-not-404'],
    wrap: () => changingRefusalStatus(404, (body) => body['messages'] === undefined),
  },
  'messages-of-wrong-type-are-404': {
    about: 'A `messages` that is not a list is answered with 404.',
    breaks: ['request.messages-missing-not-404'],
    wrap: () => changingRefusalStatus(404, (body) => typeof body['messages'] === 'number'),
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
} as const satisfies Record<string, Fault>
