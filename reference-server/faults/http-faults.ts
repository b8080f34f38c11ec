import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, Wrap } from '../gateway/seams.ts'
import type { Fault } from './fault.ts'
import { asJson, refusal } from './tools.ts'

const headerOf = ({ request }: Call, name: string): string => String(request.headers[name] ?? '')
const closes = (call: Call): boolean => headerOf(call, 'connection').toLowerCase() === 'close'
const typeOf = (call: Call): string => headerOf(call, 'content-type')

/** Answers some requests with a status by their head alone. */
function refusingHeads(status: number, when: (call: Call) => boolean): Wrap {
  return {
    authenticate: (real) => (call) => {
      if (when(call)) throw refusal(status)
      return real(call)
    },
  }
}

/** Answers requests by method and path, before any routing. */
function answering(
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

/** Takes one request for another. */
function routing(change: (call: Call) => void): Wrap {
  return {
    serve: (real) => (call) => {
      change(call)
      return real(call)
    },
  }
}

/** Sends a page of HTML for errors of one status. */
function errorPages(status: number): Wrap {
  return {
    sendBody: (real) => (head, body, call) =>
      head.status === status
        ? real({ ...head, headers: { 'content-type': 'text/html' } }, `<html><h1>${status}</h1></html>`, call)
        : real(head, body, call),
  }
}

/** Faults of the connection, the framing of requests and the routes. */
export const httpFaults = {
  'error-closes-the-connection': {
    about: 'The connection is closed without notice behind an answer to a body that is no JSON.',
    breaks: ['http.keep-alive-after-error'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        try {
          return real(bytes, call)
        } catch (error) {
          call.response.once('finish', () => call.request.socket.destroySoon())
          throw error
        }
      },
    }),
  },
  'stream-begins-with-a-head': {
    about:
      'The second stream on a connection opens with the text of an HTTP head when the client says nothing of keeping it.',
    breaks: ['http.streams-back-to-back'],
    wrap: () => {
      const served = new WeakSet<Socket>()
      return {
        openStream: (real) => (head, call) => {
          const { socket, headers } = call.request
          const isSecond = served.has(socket) && headers.connection === undefined
          served.add(socket)
          const sink = real(head, call)
          if (isSecond) call.response.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
          return sink
        },
      }
    },
  },
  'stream-framed-twice': {
    about: 'A stream on a connection that the client closes has a length and is chunked too.',
    breaks: ['http.one-framing'],
    wrap: () => ({
      streamHead: (real) => (call) => {
        const head = real(call)
        const framing = { 'content-length': '4096', 'transfer-encoding': 'chunked' }
        return closes(call) ? { ...head, headers: { ...head.headers, ...framing } } : head
      },
    }),
  },
  'reply-shorter-than-announced': {
    about: 'A reply on a connection that the client closes is ten bytes shorter than its length says.',
    breaks: ['http.one-framing'],
    wrap: () => ({
      sendBody: (real) => async (head, body, call) => {
        if (!closes(call)) return real(head, body, call)
        const { response } = call
        response.writeHead(head.status, { ...head.headers, 'content-length': Buffer.byteLength(body) + 10 })
        response.write(body)
        await sleep(5)
        response.destroy()
      },
    }),
  },
  'chunked-request-is-411': {
    about: 'A chunked body is refused for its missing length.',
    breaks: ['http.chunked-request'],
    wrap: () => refusingHeads(411, (call) => headerOf(call, 'transfer-encoding') !== ''),
  },
  'chunked-request-is-empty': {
    about: 'A chunked body is read as an empty one.',
    breaks: ['http.chunked-request'],
    wrap: () => ({
      readBody: (real) => async (call) => {
        const body = await real(call)
        return headerOf(call, 'transfer-encoding') === '' ? body : Buffer.alloc(0)
      },
    }),
  },
  'slow-body-is-408': {
    about: 'A short body that takes more than 45 ms is given up.',
    breaks: ['http.slow-body'],
    wrap: () => ({
      readBody: (real) => async (call) => {
        let firstAt = 0
        call.request.once('data', () => {
          firstAt = performance.now()
        })
        const body = await real(call)
        if (body.length < 1000 && performance.now() - firstAt > 45) throw refusal(408)
        return body
      },
    }),
  },
  'expectation-is-500': {
    about: 'A request that waits for 100 Continue crashes the handler.',
    breaks: ['http.expect-continue'],
    wrap: () => refusingHeads(500, (call) => headerOf(call, 'expect') !== ''),
  },
  'charset-is-415': {
    about: 'A media type with a charset is refused.',
    breaks: ['http.content-type-parameters'],
    wrap: () => refusingHeads(415, (call) => typeOf(call).includes(';')),
  },
  'charset-in-capitals-is-415': {
    about: 'The charset is refused when it is spelt in capitals.',
    breaks: ['http.content-type-parameters'],
    wrap: () => refusingHeads(415, (call) => typeOf(call).includes('UTF-8')),
  },
  'media-type-compared-with-case': {
    about: 'A media type in other letters than lower-case ones is refused.',
    breaks: ['http.content-type-parameters'],
    wrap: () => refusingHeads(415, (call) => typeOf(call).startsWith('Application')),
  },
  'plain-text-is-500': {
    about: 'A body that is labelled as text crashes the handler.',
    breaks: ['http.other-content-types-no-server-error'],
    wrap: () => refusingHeads(500, (call) => typeOf(call) === 'text/plain'),
  },
  'form-is-500': {
    about: 'A form without a boundary crashes the body parser.',
    breaks: ['http.other-content-types-no-server-error'],
    wrap: () => refusingHeads(500, (call) => typeOf(call).startsWith('multipart/form-data')),
  },
  'unknown-path-is-a-page': {
    about: 'A path that does not exist shows a landing page under a 200.',
    breaks: ['http.unknown-path'],
    wrap: () => answering(200, (method, url) => method === 'GET' && /no-such-path|x$/.test(url)),
  },
  'unknown-path-is-500': {
    about: 'A POST to a path that does not exist crashes the router.',
    breaks: ['http.unknown-path'],
    wrap: () => answering(500, (method, url) => method === 'POST' && url.endsWith('/no-such-path')),
  },
  'chat-path-compared-by-beginning': {
    about: 'A path that only begins like that of completions is served.',
    breaks: ['http.unknown-path'],
    wrap: () =>
      routing(({ request }) => {
        request.url = request.url?.replace(/(\/chat\/completions)\w+$/, '$1') ?? '/'
      }),
  },
  'models-path-compared-by-beginning': {
    about: 'A path that only begins like that of the model list shows the list.',
    breaks: ['http.unknown-path'],
    wrap: () =>
      routing(({ request }) => {
        request.url = request.url?.replace(/(\/models)\w+$/, '$1') ?? '/'
      }),
  },
  'put-served': {
    about: 'PUT is taken for POST.',
    breaks: ['http.wrong-method'],
    wrap: () =>
      routing(({ request }) => {
        if (request.method === 'PUT') request.method = 'POST'
      }),
  },
  'get-of-chat-is-a-page': {
    about: 'GET on the path of completions shows a page under a 200.',
    breaks: ['http.wrong-method'],
    wrap: () => answering(200, (method, url) => method === 'GET' && url.endsWith('/chat/completions')),
  },
  'delete-of-models-is-204': {
    about: 'DELETE on the model list says that it was done.',
    breaks: ['http.wrong-method'],
    wrap: () => answering(204, (method) => method === 'DELETE'),
  },
  'wrong-method-is-500': {
    about: 'A method that a path does not have crashes the router.',
    breaks: ['http.wrong-method'],
    wrap: () => answering(500, (method) => method === 'DELETE'),
  },
  'errors-of-bad-requests-are-pages': {
    about: 'Bad requests are answered with a page of HTML.',
    breaks: ['http.errors-are-json'],
    wrap: () => errorPages(400),
  },
  'errors-of-unknown-models-are-pages': {
    about: 'The error for an unknown model is a page of HTML.',
    breaks: ['http.errors-are-json'],
    wrap: () => errorPages(404),
  },
  'errors-of-keys-are-text': {
    about: 'The refusal of a key is a line of text under the media type of JSON.',
    breaks: ['http.errors-are-json'],
    wrap: () => ({
      sendBody: (real) => (head, body, call) => real(head, head.status === 401 ? 'Unauthorized' : body, call),
    }),
  },
  'models-empty-from-the-third-time-on': {
    about: 'The model list is empty from the third time on that it is asked for.',
    breaks: ['models.stable', 'model.down-and-up'],
    wrap: () => {
      let asked = 0
      return {
        listModels: (real) => (models, call) => {
          asked += 1
          return real(asked > 2 ? [] : models, call)
        },
      }
    },
  },
  'errors-with-a-stack': {
    about: 'Errors show where in the code they happened.',
    breaks: ['http.errors-show-no-stack'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        const stack = 'Error: refused\n    at validate (/srv/gateway/server.js:41:7)'
        return { ...answer, body: { ...asJson(answer.body), stack } }
      },
    }),
  },
  'old-clients-get-chunks': {
    about: 'A stream is sent in chunks to whoever asks in HTTP/1.0, too.',
    breaks: ['http.old-clients-get-no-chunks'],
    wrap: () => ({
      streamHead: (real) => (call) => {
        const { status, headers } = real(call)
        return { status, headers: { ...headers, 'transfer-encoding': 'chunked' } }
      },
    }),
  },
  'retry-after-below-zero': {
    about: 'A model without a node is said to be there again some seconds ago.',
    breaks: ['http.retry-after-readable'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        return error.status === 503 ? { ...answer, headers: { ...answer.headers, 'retry-after': '-5' } } : answer
      },
    }),
  },
} as const satisfies Record<string, Fault>
