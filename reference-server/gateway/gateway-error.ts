import type { Reserved } from '../keys/limits.ts'
import { StoreUnavailable } from '../store/store.ts'

export interface GatewayErrorDetails {
  readonly status: number
  readonly type: string
  readonly code: string
  /** The wrong field of the request body, if there is one. */
  readonly param?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that is not a success. The client sees its message: no key, no node's address, no stack. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly status: number
  readonly type: string
  readonly code: string
  readonly param: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(message: string, { status, type, code, param, headers = {} }: GatewayErrorDetails) {
    // A refusal is not a bug: nobody needs its stack trace, which would cost more than the refusal itself.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message.toWellFormed())
    Error.stackTraceLimit = stackTraceLimit
    this.status = status
    this.type = type
    this.code = code
    this.param = param
    this.headers = headers
  }

  /** The body in the shape that clients of the chat-completions format read. */
  body(): unknown {
    return { error: { message: this.message, type: this.type, param: this.param ?? null, code: this.code } }
  }
}

/** The same refusal of a client that was refused too often: it is to wait for at least so long. */
export function toldToWait(error: GatewayError, waitS: number): GatewayError {
  const { status, type, code, param, headers, message } = error
  const longestS = Math.max(waitS, Number(headers['retry-after'] ?? 0))
  return new GatewayError(`${message} Too many requests were refused: wait ${longestS} s before the next one.`, {
    status,
    type,
    code,
    param,
    headers: { ...headers, 'retry-after': String(longestS) },
  })
}

/** The client is gone. There is nobody to answer, so this is not an answer, and it is not a bug. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft'

  constructor() {
    super('the client left before the end of the answer')
  }
}

export function invalidRequest(code: string, message: string, param?: string): GatewayError {
  return new GatewayError(message, { status: 400, type: 'invalid_request_error', code, param })
}

/** One message for every way a key can be wrong: a difference would only help somebody who guesses keys. */
export function unauthorized(): GatewayError {
  return new GatewayError('A valid API key is required: send "Authorization: Bearer <API_KEY>".', {
    status: 401,
    type: 'authentication_error',
    code: 'invalid_api_key',
    headers: { 'www-authenticate': 'Bearer' },
  })
}

export function insufficientFunds(): GatewayError {
  return new GatewayError(
    'The account cannot pay for this request. Add credit in the dashboard, or ask for fewer tokens.',
    {
      status: 402,
      type: 'billing_error',
      code: 'insufficient_funds',
    },
  )
}

export function routeNotFound(): GatewayError {
  return new GatewayError('There is nothing at this path.', {
    status: 404,
    type: 'invalid_request_error',
    code: 'not_found',
  })
}

export function modelNotFound(): GatewayError {
  return new GatewayError('The model does not exist. The model list names those that do.', {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    param: 'model',
  })
}

export function methodNotAllowed(allow: string): GatewayError {
  return new GatewayError(`This path only answers ${allow}.`, {
    status: 405,
    type: 'invalid_request_error',
    code: 'method_not_allowed',
    headers: { allow },
  })
}

/** The rest of the body is not worth reading, so the connection cannot be used again. */
export function bodyTooLarge(bytesMax: number): GatewayError {
  return new GatewayError(`The request body is larger than ${bytesMax} bytes.`, {
    status: 413,
    type: 'invalid_request_error',
    code: 'request_too_large',
    headers: { connection: 'close' },
  })
}

/** After the wait in `retry-after` the same request is let through, unless others use the key too. */
export function rateLimited({ unit, perMinute, waitMs }: NonNullable<Reserved['refusal']>): GatewayError {
  const waitS = Math.ceil(waitMs / 1000)
  return new GatewayError(`The key's limit of ${perMinute} ${unit} per minute is reached. Wait ${waitS} s.`, {
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': String(waitS) },
  })
}

/** The books or the shared limits cannot be relied on now, so nothing may be promised. */
function storeUnavailable(): GatewayError {
  return new GatewayError('The gateway cannot reach its books. Try the request again.', {
    status: 503,
    type: 'service_unavailable_error',
    code: 'store_unavailable',
    headers: { 'retry-after': '1' },
  })
}

/** C7: the model is known, but no node can answer for it now. */
export function modelUnavailable(): GatewayError {
  return new GatewayError('The model is temporarily unavailable: no node serves it.', {
    status: 503,
    type: 'service_unavailable_error',
    code: 'model_unavailable',
    param: 'model',
    headers: { 'retry-after': '1' },
  })
}

/** Another replica, or this one after its restart, will answer. */
export function shuttingDown(): GatewayError {
  return new GatewayError('The gateway is shutting down. Try the request again.', {
    status: 503,
    type: 'service_unavailable_error',
    code: 'shutting_down',
    headers: { 'retry-after': '5' },
  })
}

export function internalError(): GatewayError {
  return new GatewayError('The gateway failed. Try the request again.', {
    status: 500,
    type: 'server_error',
    code: 'internal_error',
  })
}

/** The answer to whatever was thrown. What is neither an answer nor trouble of the store is a bug. */
export function gatewayErrorOf(error: unknown, onBug: (error: unknown) => void): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof StoreUnavailable) return storeUnavailable()
  onBug(error)
  return internalError()
}
