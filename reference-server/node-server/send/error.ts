import type { Problem } from '../dialect/dialect.ts'

type NodeErrorDetails = Omit<Problem, 'message'>

/** Why a node answers without success; its dialect gives the answer its shape. */
export class NodeError extends Error implements Problem {
  override readonly name = 'NodeError'
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly param: string | undefined

  constructor(message: string, { status, type, code, param }: NodeErrorDetails) {
    super(message.toWellFormed())
    this.status = status
    this.type = type
    this.code = code
    this.param = param
  }
}

export function badRequest(message: string, param?: string): NodeError {
  const details = { status: 400, type: 'invalid_request_error', code: 'invalid_request' }
  return new NodeError(message, param === undefined ? details : { ...details, param })
}

export function bodyTooLarge(bytesMax: number): NodeError {
  const message = `The request body is larger than ${bytesMax} bytes.`
  return new NodeError(message, { status: 413, type: 'invalid_request_error', code: 'request_too_large' })
}

export function keyWanted(): NodeError {
  const message = 'This node requires its key: send "Authorization: Bearer KEY".'
  return new NodeError(message, { status: 401, type: 'authentication_error', code: 'invalid_api_key' })
}

export function noSuchPath(): NodeError {
  const message = 'There is nothing at this path.'
  return new NodeError(message, { status: 404, type: 'invalid_request_error', code: 'not_found' })
}

export function noSuchMethod(allow: string): NodeError {
  const message = `This path only answers ${allow}.`
  return new NodeError(message, { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' })
}

export function noSuchModel(): NodeError {
  const message = 'This node does not serve the model.'
  return new NodeError(message, {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    param: 'model',
  })
}

export function nodeIsDown(): NodeError {
  const message = 'This node is out of service.'
  return new NodeError(message, { status: 503, type: 'service_unavailable_error', code: 'node_down' })
}
