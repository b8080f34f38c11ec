import { dialectNames } from '../dialect/dialects.ts'
import { timingSchema } from './read-timing.ts'

/** Everything a node can do wrong besides its words. In JSON mode a fault that counts chunks acts after half the body. */
export const faultKinds = [
  'hang-before-head',
  'hang-mid-stream',
  'reset-before-head',
  'close-before-head',
  'reset-mid-stream',
  'close-inside-character',
  'end-mid-stream',
  'end-without-done',
  'error-frame',
  'in-band-error',
  'broken-json',
  'truncated-json',
  'endless-line',
] as const

export const usagePlaces = ['own-chunk', 'last-chunk', 'every-chunk', 'never'] as const

const anything = { type: 'object' }
const count = { type: 'integer', minimum: 1 }

/** Names and values that HTTP can carry; anything else would only be refused once the reply is under way. */
const headers = {
  type: 'object',
  propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
  additionalProperties: { type: 'string', pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' },
}

const comments = {
  type: ['boolean', 'object'],
  additionalProperties: false,
  properties: {
    text: { type: 'string', pattern: '^[^\\r\\n]*$' },
    every: count,
    everyMs: { type: 'number', minimum: 1 },
  },
}

const wire = {
  type: 'object',
  additionalProperties: false,
  properties: {
    cuts: { type: ['string', 'integer', 'array'], pattern: '^(bytes|characters)$', minimum: 1, items: count },
    pauseMs: { type: 'number', minimum: 1, maximum: 10_000 },
    length: { type: 'boolean' },
    gzip: { type: 'boolean' },
    ascii: { type: 'boolean' },
    lineEnd: { type: 'string', enum: ['\n', '\r\n', '\r'] },
    comments,
    spaceAfterColon: { type: 'boolean' },
    done: { type: 'boolean' },
  },
}

const fault = {
  type: 'object',
  additionalProperties: false,
  required: ['kind'],
  properties: {
    kind: { type: 'string', enum: faultKinds },
    afterChunks: { type: 'integer', minimum: 0 },
    error: anything,
    event: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[^\\r\\n]*$' } },
  },
}

const extra = {
  type: 'object',
  additionalProperties: false,
  properties: { reply: anything, chunk: anything, choice: anything, delta: anything },
}

export const scriptSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    fragments: { type: 'array', items: { type: 'string' } },
    repeat: { type: 'integer', minimum: 1, maximum: 100_000 },
    text: { type: 'string' },
    status: { type: 'integer', minimum: 200, maximum: 599 },
    headers,
    body: {},
    finishReason: { type: ['string', 'null'] },
    usage: { type: ['object', 'null'] },
    usageWhere: { type: 'string', enum: usagePlaces },
    model: { type: 'string' },
    id: { type: 'string' },
    extra,
    dialect: { type: 'string', enum: dialectNames },
    timing: timingSchema,
    wire,
    fault,
    times: count,
    next: { $ref: '#' },
  },
}
