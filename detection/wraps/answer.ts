import type { GatewayError } from '../../reference-server/gateway/gateway-error.ts'
import type { Call, Head, Seams, Wrap } from '../../reference-server/gateway/seams.ts'

type Headers = Head['headers']

type ErrorAnswer = ReturnType<Seams['errorAnswer']>

/** Changes the headers of every answer. */
export function answerHeaders(change: (headers: Headers, call: Call) => Headers): Wrap {
  const changed = (head: Head, call: Call): Head => ({ ...head, headers: change(head.headers, call) })
  return {
    replyHead: (real) => (call) => changed(real(call), call),
    listHead: (real) => (call) => changed(real(call), call),
    streamHead: (real) => (call) => changed(real(call), call),
    errorAnswer: (real) => (error, call) => {
      const answer = real(error, call)
      return { ...answer, headers: change(answer.headers, call) }
    },
  }
}

/** Changes the answers to requests that fail. */
export function errorAnswers(change: (answer: ErrorAnswer, error: GatewayError, call: Call) => ErrorAnswer): Wrap {
  return { errorAnswer: (real) => (error, call) => change(real(error, call), error, call) }
}

/** Answers errors with one of these codes with another status. */
export function changingErrorStatus(status: number, ...codes: readonly string[]): Wrap {
  return errorAnswers((answer, { code }) => (codes.includes(code) ? { ...answer, status } : answer))
}

/** Gives the bodies of errors another shape. */
export function errorBodies(shape: (error: GatewayError) => unknown): Wrap {
  return errorAnswers((answer, error) => ({ ...answer, body: shape(error) }))
}

/** Sends the same plain text for every error. */
export function plainTextErrors(text: string): Wrap {
  return {
    sendBody: (real) => (head, body, call) =>
      head.status < 400
        ? real(head, body, call)
        : real({ ...head, headers: { ...head.headers, 'content-type': 'text/plain' } }, text, call),
  }
}

/** Changes the text of bodies that are JSON. */
export function jsonBodies(change: (json: string) => string): Wrap {
  return { sendBody: (real) => (head, body, call) => real(head, /^[[{]/.test(body) ? change(body) : body, call) }
}

/** Changes the JSON text of every body and every chunk. */
export function encodedJson(change: (json: string, call: Call) => string): Wrap {
  return { encode: (real) => (value, call) => change(real(value, call), call) }
}
