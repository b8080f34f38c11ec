import { GatewayError } from '../../../reference-server/gateway/gateway-error.ts'
import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import { asJson } from '../../wraps/json.ts'
import { closingForAWhile } from '../../wraps/outage.ts'
import { headerOf, readingText, refusal, refusingHeads, refusingText } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-http.ts` must notice. */
export const httpFaults = {
  'charset-is-415': {
    about: 'A media type with a charset is refused.',
    breaks: ['http.content-type-parameters'],
    wrap: () => refusingHeads(415, (call) => typeOf(call).includes(';')),
  },
  'charset-in-capitals-is-415': {
    about: 'A charset written in capitals is refused.',
    breaks: ['http.content-type-parameters'],
    wrap: () => refusingHeads(415, (call) => typeOf(call).includes('UTF-8')),
  },
  'media-type-compared-with-case': {
    about: 'A media type that is not all lower case is refused.',
    breaks: ['http.content-type-parameters'],
    wrap: () => refusingHeads(415, (call) => typeOf(call).startsWith('Application')),
  },
  'plain-text-is-500': {
    about: 'A body labelled as text crashes the handler.',
    breaks: ['http.other-content-types-no-server-error'],
    wrap: () => refusingHeads(500, (call) => typeOf(call) === 'text/plain'),
  },
  'form-is-500': {
    about: 'A form without a boundary crashes the body parser.',
    breaks: ['http.other-content-types-no-server-error'],
    wrap: () => refusingHeads(500, (call) => typeOf(call).startsWith('multipart/form-data')),
  },
  'unknown-path-is-a-page': {
    about: 'An unknown path is answered with a landing page and 200.',
    breaks: ['http.unknown-path'],
    wrap: () => answeringPaths(200, (method, url) => method === 'GET' && /no-such-path|x$/.test(url)),
  },
  'unknown-path-is-500': {
    about: 'A POST to an unknown path crashes the router.',
    breaks: ['http.unknown-path'],
    wrap: () => answeringPaths(500, (method, url) => method === 'POST' && url.endsWith('/no-such-path')),
  },
  'chat-path-compared-by-beginning': {
    about: 'A path that only begins like that of chat completions is served.',
    breaks: ['http.unknown-path'],
    wrap: () =>
      reroutingRequests(({ request }) => {
        request.url = request.url?.replace(/(\/chat\/completions)\w+$/, '$1') ?? '/'
      }),
  },
  'models-path-compared-by-beginning': {
    about: 'A path that only begins like that of the model list returns the list.',
    breaks: ['http.unknown-path'],
    wrap: () =>
      reroutingRequests(({ request }) => {
        request.url = request.url?.replace(/(\/models)\w+$/, '$1') ?? '/'
      }),
  },
  'put-served': {
    about: 'PUT is accepted as POST.',
    breaks: ['http.wrong-method'],
    wrap: () =>
      reroutingRequests(({ request }) => {
        if (request.method === 'PUT') request.method = 'POST'
      }),
  },
  'get-of-chat-is-a-page': {
    about: 'GET on the chat completions path is answered with a page and 200.',
    breaks: ['http.wrong-method'],
    wrap: () => answeringPaths(200, (method, url) => method === 'GET' && url.endsWith('/chat/completions')),
  },
  'delete-of-models-is-204': {
    about: 'DELETE on the model list reports success.',
    breaks: ['http.wrong-method'],
    wrap: () => answeringPaths(204, (method) => method === 'DELETE'),
  },
  'wrong-method-is-500': {
    about: 'A method that a path does not support crashes the router.',
    breaks: ['http.wrong-method'],
    wrap: () => answeringPaths(500, (method) => method === 'DELETE'),
  },
  'errors-of-bad-requests-are-pages': {
    about: 'Bad requests are answered with an HTML page.',
    breaks: ['http.errors-are-json'],
    wrap: () => answeringErrorsWithPages(400),
  },
  'errors-of-unknown-models-are-pages': {
    about: 'The error for an unknown model is an HTML page.',
    breaks: ['http.errors-are-json'],
    wrap: () => answeringErrorsWithPages(404),
  },
  'errors-of-keys-are-text': {
    about: 'The refusal of a key is a line of text labelled as JSON.',
    breaks: ['http.errors-are-json'],
    wrap: () => ({
      sendBody: (real) => (head, body, call) => real(head, head.status === 401 ? 'Unauthorized' : body, call),
    }),
  },
  'errors-with-a-stack': {
    about: 'Errors show a stack trace.',
    breaks: ['http.errors-show-no-stack'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        const stack = 'Error: refused\n    at validate (/srv/gateway/server.js:41:7)'
        return { ...answer, body: { ...asJson(answer.body), stack } }
      },
    }),
  },
  'errors-with-a-frame-of-python': {
    about: 'Errors name the file and the line of Python code that raised them.',
    breaks: ['http.errors-show-no-stack'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        const detail = 'File "/srv/engine/server/app.py", line 376, in create_chat_completion'
        return { ...answer, body: { ...asJson(answer.body), detail } }
      },
    }),
  },
  'retry-after-below-zero': {
    about: 'The 503 for a model without a node has a negative Retry-After.',
    breaks: ['http.retry-after-readable'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        return error.status === 503 ? { ...answer, headers: { ...answer.headers, 'retry-after': '-5' } } : answer
      },
    }),
  },
  'wrong-type-closes-the-gateway': {
    about: 'One stop that is no text is taken for a failure of the node, which goes unused for five seconds.',
    breaks: ['http.bad-requests-close-nothing'],
    wrap: () => {
      const { close, chooseNode } = closingForAWhile()
      return {
        chooseNode,
        validate: (real) => (value, call) => {
          if (asJson(value)['stop'] === 7) close(5000)
          return real(value, call)
        },
      }
    },
  },
  'bad-requests-close-the-gateway': {
    about: 'Four bad requests in a row are taken for node failures, and the nodes go unused for a moment.',
    breaks: ['http.bad-requests-close-nothing'],
    follows: ['key.limit-is-not-its-name', 'key.limit-is-its-own', 'key.limit-counts-streams'],
    wrap: () => {
      let strikes = 0
      const { close, chooseNode } = closingForAWhile()
      return {
        chooseNode,
        errorAnswer: (real) => (error, call) => {
          strikes = error instanceof GatewayError && error.status === 400 ? strikes + 1 : strikes
          if (strikes >= 4) {
            strikes = 0
            close(300)
          }
          return real(error, call)
        },
        newId: (real) => (call) => {
          strikes = 0
          return real(call)
        },
      }
    },
  },
  'malformed-json-is-500': {
    about: 'A body that is not JSON crashes the handler.',
    breaks: [
      'http.malformed-json-refused',
      'temperature.odd-numbers-no-server-error',
      'top-p.odd-numbers-no-server-error',
      'max-tokens.odd-values-graceful',
    ],
    follows: ['http.empty-body-refused'],
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
    breaks: ['http.empty-body-refused'],
    wrap: () => refusingText((text) => text === '', 500),
  },
  'broken-stream-request-is-500': {
    about: 'A body that breaks off after `"stream":true` crashes the handler.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => refusingText((text) => text.includes('"stream":true') && !text.endsWith('}'), 500),
  },
  'trailing-comma-accepted': {
    about: 'A comma after the last field is accepted, though that is not JSON.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => readingText((text) => text.replace(/,\}$/, '}')),
  },
  'text-behind-json-ignored': {
    about: 'Text after the JSON object is ignored.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => readingText((text) => text.replace(/\}\}\}$/, '}}').replace(/(\d\})\}$/, '$1')),
  },
  'broken-json-mended': {
    about: 'A missing closing brace is silently added.',
    breaks: ['http.malformed-json-refused'],
    wrap: () => readingText((text) => (/"max_tokens":\d+$/.test(text) ? `${text}}` : text)),
  },
  'bad-request-poisons-the-next': {
    about: 'After one bad request was refused, some prompts fail.',
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
} as const satisfies Record<string, Fault>

/** Answers requests by method and path, before any routing. */
function answeringPaths(
  status: number,
  when: (method: string, path: string) => boolean,
  page = '<html>Welcome</html>',
): Wrap {
  return {
    serve: (real) => async (call) => {
      const { method = '', url = '' } = call.request
      if (when(method, url)) call.response.writeHead(status, { 'content-type': 'text/html' }).end(page)
      else await real(call)
    },
  }
}

/** Changes a request before it is routed. */
function reroutingRequests(change: (call: Call) => void): Wrap {
  return {
    serve: (real) => (call) => {
      change(call)
      return real(call)
    },
  }
}

/** Answers errors of one status with an HTML page. */
function answeringErrorsWithPages(status: number): Wrap {
  return {
    sendBody: (real) => (head, body, call) =>
      head.status === status
        ? real({ ...head, headers: { 'content-type': 'text/html' } }, `<html><h1>${status}</h1></html>`, call)
        : real(head, body, call),
  }
}

function typeOf(call: Call): string {
  return headerOf(call, 'content-type')
}
