import { invalidRequest } from '../../reference-server/gateway/gateway-error.ts'
import type { Call } from '../../reference-server/gateway/seams.ts'
import { changingErrorStatus, errorAnswers, errorBodies, plainTextErrors } from '../wraps/answer.ts'
import { asJson, type Json } from '../wraps/json.ts'
import { reading, refusing, refusingHeads, refusingText } from '../wraps/request.ts'
import { forOtherModels } from '../wraps/words.ts'
import type { Variant } from './variant.ts'

/** Legal gateways that refuse, or accept, what others do not, or word it differently. */
export const refusalsVariants = {
  'numbers-in-quotes-are-read': {
    about: 'A number in quotes is read as the number; checks only observe what becomes of one.',
    wrap: () =>
      reading((body) => {
        const inQuotes = ['temperature', 'top_p', 'max_tokens'].filter(
          (name) => typeof body[name] === 'string' && /^\d+(\.\d+)?$/.test(body[name]),
        )
        return { ...body, ...Object.fromEntries(inQuotes.map((name) => [name, Number(body[name])])) }
      }),
  },
  'chunked-request-gets-411': {
    reported: true,
    about: 'A request without a Content-Length is answered with 411; RFC 9112 (6.3) allows it.',
    wrap: () => refusingHeads(411, ({ request }) => request.headers['transfer-encoding'] !== undefined),
  },
  'errors-as-string': {
    reported: true,
    about: 'Error bodies are {"error": "text"}; the contract does not show their shape.',
    group: 'error-body',
    wrap: () => errorBodies(({ message }) => ({ error: message })),
  },
  'errors-as-detail': {
    reported: true,
    about: 'Error bodies are {"detail": "text"}; the contract does not show their shape.',
    group: 'error-body',
    wrap: () => errorBodies(({ message }) => ({ detail: message })),
  },
  'errors-as-detail-list': {
    about: 'Error bodies are a list of details with places; the contract does not show their shape.',
    group: 'error-body',
    wrap: () =>
      errorBodies(({ message, param, code }) => ({
        detail: [{ loc: ['body', param ?? null], msg: message, type: code }],
      })),
  },
  'errors-as-object-error': {
    reported: true,
    about: 'Error bodies are {"object": "error", …} with a number as code; the contract does not show their shape.',
    group: 'error-body',
    wrap: () =>
      errorBodies(({ message, type, status }) => ({ object: 'error', message, type, param: null, code: status })),
  },
  'errors-as-problem-json': {
    reported: true,
    about: 'Errors are application/problem+json (RFC 9457); the contract does not show their shape.',
    group: 'error-body',
    wrap: () =>
      errorAnswers(({ status, headers }, { message, code }) => ({
        status,
        headers: { ...headers, 'content-type': 'application/problem+json' },
        body: { type: `https://errors.example/${code}`, title: code, status, detail: message },
      })),
  },
  'errors-with-little-to-say': {
    about: 'Error bodies are {} whatever went wrong; the contract does not show their shape.',
    // Inside a stream {} would not be the sign of a failure that the contract asks for there.
    group: ['error-body', 'weather'],
    wrap: () => forOtherModels(errorBodies(() => ({}))),
  },
  'errors-without-body': {
    about: 'Errors have a status and no body at all; the contract does not show their shape.',
    group: 'error-body',
    wrap: () => plainTextErrors(''),
  },
  'errors-as-text': {
    reported: true,
    about: 'Errors are a line of plain text, labelled as such; the contract does not show their shape.',
    group: 'error-body',
    wrap: () => plainTextErrors('refused\n'),
  },
  'errors-quote-the-value': {
    about: 'Errors quote the first characters of the wrong value; the contract does not show their text.',
    group: 'error-body',
    wrap: () =>
      errorBodies((error) => ({
        error: { message: `${error.message} Got: «${error.param ?? 'body'}»`, type: error.type, code: error.code },
      })),
  },
  'validation-422': {
    reported: true,
    about: 'What validation refuses is answered with 422; the contract does not show which 4xx.',
    group: 'validation-status',
    wrap: () => changingErrorStatus(422, 'invalid_value', 'invalid_json', 'context_length_exceeded'),
  },
  'validation-422-json-400': {
    about: 'Wrong values are answered with 422 and broken JSON with 400; the contract does not show which 4xx.',
    group: 'validation-status',
    wrap: () => changingErrorStatus(422, 'invalid_value'),
  },
  'context-excess-413': {
    about: 'A prompt too long for the context window is answered with 413; the contract does not show which 4xx.',
    wrap: () => changingErrorStatus(413, 'context_length_exceeded'),
  },
  'bad-key-403': {
    reported: true,
    about: 'An invalid key is answered with 403; the contract does not show the status.',
    group: 'key-status',
    wrap: () => changingErrorStatus(403, 'invalid_api_key'),
  },
  'missing-key-401-bad-key-403': {
    about: 'A missing key is answered with 401 and a wrong one with 403; the contract does not show the status.',
    group: 'key-status',
    wrap: () =>
      errorAnswers((answer, { code }, { request }) =>
        code === 'invalid_api_key' && request.headers.authorization !== undefined ? { ...answer, status: 403 } : answer,
      ),
  },
  'bad-key-without-challenge': {
    about: 'The refusal of a key has no WWW-Authenticate header; the contract does not show its headers.',
    wrap: () =>
      errorAnswers((answer) => {
        const { 'www-authenticate': _, ...headers } = answer.headers
        return { ...answer, headers }
      }),
  },
  'unknown-model-400': {
    reported: true,
    about: 'An unknown model is answered with 400; the contract sets a status only for a model without a node.',
    group: 'model-status',
    wrap: () => changingErrorStatus(400, 'model_not_found'),
  },
  'unknown-model-503': {
    reported: true,
    about: 'An unknown model is answered with 503, since no node serves it.',
    group: 'model-status',
    wrap: () => changingErrorStatus(503, 'model_not_found'),
  },
  'unknown-model-403': {
    about: 'An unknown model is answered with 403, as one that the key may not use.',
    group: 'model-status',
    wrap: () => changingErrorStatus(403, 'model_not_found'),
  },
  'unknown-model-422': {
    about: 'An unknown model is answered with 422, as a wrong value.',
    group: 'model-status',
    wrap: () => changingErrorStatus(422, 'model_not_found'),
  },
  'unfunded-403': {
    reported: true,
    about: 'An account without funds is answered with 403; the contract does not show the status.',
    group: 'funds-status',
    wrap: () => changingErrorStatus(403, 'insufficient_funds'),
  },
  'unfunded-400': {
    about: 'An account without funds is answered with 400; the contract does not show the status.',
    group: 'funds-status',
    wrap: () => changingErrorStatus(400, 'insufficient_funds'),
  },
  'unfunded-429': {
    reported: true,
    about: 'An account without funds is answered with 429, as a used-up quota; the contract does not show the status.',
    group: 'funds-status',
    wrap: () => changingErrorStatus(429, 'insufficient_funds'),
  },
  'wrong-method-404': {
    about: 'A method that a path does not support is answered with 404; the contract says nothing about it.',
    wrap: () => changingErrorStatus(404, 'method_not_allowed'),
  },
  'retry-after-as-date': {
    reported: true,
    about: 'Retry-After is an HTTP date one second ahead; HTTP allows both forms.',
    group: 'retry-after',
    wrap: () =>
      errorAnswers((answer) =>
        'retry-after' in answer.headers
          ? { ...answer, headers: { ...answer.headers, 'retry-after': new Date(Date.now() + 1000).toUTCString() } }
          : answer,
      ),
  },
  'no-retry-after': {
    reported: true,
    about: 'Refusals name no time to wait and no limits; the contract does not show such headers.',
    group: 'retry-after',
    wrap: () =>
      errorAnswers((answer) => ({
        ...answer,
        headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !/^(retry|x-rate)/.test(name))),
      })),
  },
  'more-than-four-stops-accepted': {
    reported: true,
    about: 'Lists of more than four stop sequences are accepted and obeyed; the contract shows no maximum.',
    wrap: () => ({
      validate: (real) => (value, call) => {
        const body = asJson(value)
        if (!Array.isArray(body['stop']) || body['stop'].length <= 4) return real(value, call)
        const stop = body['stop'].filter((one) => typeof one === 'string' && one !== '')
        if (stop.length !== body['stop'].length) throw invalidRequest('invalid_value', 'stop must be text.', 'stop')
        return { ...real({ ...body, stop: null }, call), stop }
      },
    }),
  },
  'empty-stops-accepted': {
    about: 'An empty stop sequence and an empty list count as none; the contract says nothing about them.',
    wrap: () =>
      reading((body) => {
        const { stop: _, ...rest } = body
        const stop = [body['stop'] ?? []].flat().filter((one) => one !== '')
        return stop.length === 0 ? rest : { ...rest, stop }
      }),
  },
  'odd-max-tokens-accepted': {
    reported: true,
    about:
      'max_tokens -1 is no limit, and 0 and fractions become whole and at least 1; the contract shows none of these.',
    wrap: () =>
      reading((body) => {
        const limit = body['max_tokens']
        if (typeof limit !== 'number' || (limit >= 1 && Number.isInteger(limit))) return body
        return { ...body, max_tokens: limit < 0 ? null : Math.max(1, Math.floor(limit)) }
      }),
  },
  'floats-refused-as-max-tokens': {
    reported: true,
    about: 'A max_tokens written as 7.0 or 1e1 is not a whole number, as in most languages other than JavaScript.',
    wrap: () => refusingText((text) => /"max_tokens":\d+(\.0|e\d)/.test(text)),
  },
  'large-max-tokens-refused': {
    about: 'A max_tokens above 256 is refused with 400; the contract does not show the upper bound.',
    group: 'limit',
    wrap: () => refusing((body) => typeof body['max_tokens'] === 'number' && body['max_tokens'] > 256),
  },
  'bounds-with-rounding': {
    about: 'Values under 1e-7 outside a bound count as the bound, as in 32-bit floats; all in range are accepted.',
    wrap: () =>
      reading((body) => ({ ...body, ...roundedToBound(body, 'temperature', 2), ...roundedToBound(body, 'top_p', 1) })),
  },
  'more-roles-and-parts-accepted': {
    about: 'The roles developer and tool, and content in parts, are accepted; extras are welcome.',
    wrap: () =>
      reading((body) => ({
        ...body,
        ...(Array.isArray(body['messages']) && {
          messages: body['messages'].map((message) => {
            const { role, content, ...rest } = asJson(message)
            const known = role === 'developer' || role === 'tool' ? 'system' : role
            return {
              ...rest,
              ...(known !== undefined && { role: known }),
              ...(content !== undefined && { content: contentOf(content) }),
            }
          }),
        }),
      })),
  },
  'json-label-required': {
    about: 'A body not labelled as JSON is answered with 415; the contract names the label.',
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        if (isLabelled(call)) return real(bytes, call)
        throw invalidRequest('unsupported_media_type', 'Send application/json.')
      },
      ...changingErrorStatus(415, 'unsupported_media_type'),
    }),
  },
} as const satisfies Record<string, Variant>

/** The text of content that may come in parts. */
function contentOf(content: unknown): unknown {
  return Array.isArray(content) ? content.map((part) => String(asJson(part)['text'] ?? '')).join('') : content
}

/** The field with its bound, if it is just outside of one. */
function roundedToBound(body: Json, name: string, bound: number): Json {
  const value = body[name]
  if (typeof value !== 'number') return {}
  if (value > bound && value < bound + 1e-7) return { [name]: bound }
  return value < 0 && value > -1e-7 ? { [name]: 0 } : {}
}

function isLabelled({ request }: Call): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')
}
