import { firstViolation, validator } from '../../validator.ts'
import { invalidRequest } from '../gateway-error.ts'

const never = { type: 'null' }
const empty = { type: ['object', 'array', 'null'], maxItems: 0, maxProperties: 0 }

/**
 * Fields of the format that would change the answer or its terms, each with the values that ask for nothing. A client
 * that asks for four choices and gets one does not notice, so anything else is refused.
 */
const values = {
  n: { enum: [1, null] },
  tools: empty,
  functions: empty,
  tool_choice: { enum: ['none', 'auto', null] },
  function_call: { enum: ['none', 'auto', null] },
  response_format: { type: ['object', 'null'], required: ['type'], properties: { type: { enum: ['text'] } } },
  logprobs: { enum: [false, null] },
  top_logprobs: { enum: [0, null] },
  logit_bias: empty,
  frequency_penalty: { enum: [0, null] },
  presence_penalty: { enum: [0, null] },
  modalities: { type: ['array', 'null'], items: { enum: ['text'] } },
  audio: never,
  prediction: never,
  web_search_options: never,
  reasoning_effort: { enum: ['none', null] },
  verbosity: { enum: ['medium', null] },
  service_tier: { enum: ['auto', 'default', null] },
  store: { enum: [false, null] },
}

const offered = validator({ type: 'object', properties: values })

/** Throws `GatewayError` 400 that names the first field that asks for what the gateway does not do. */
export function refuseUnoffered(body: object): void {
  const validate = offered()
  if (validate(body)) return
  const { where, problem } = firstViolation(validate.errors)
  throw invalidRequest('unsupported_value', `This gateway does not offer that: ${where} ${problem}.`, where)
}
