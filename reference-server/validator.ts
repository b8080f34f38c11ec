import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'

/** A schema that is compiled when first used: starting a gateway must not wait for a compiler. */
export function validator<T>(schema: object): () => ValidateFunction<T> {
  let compiled: ValidateFunction<T> | undefined
  return () => {
    compiled ??= new Ajv2020({ strict: true, allowUnionTypes: true, coerceTypes: false, allErrors: false }).compile<T>(
      schema,
    )
    return compiled
  }
}

/** Where a value violates its schema, and how, in words that never repeat the value. */
export interface Violation {
  /** As in `messages[0].role`; undefined for the value as a whole. */
  readonly where: string | undefined
  readonly problem: string
}

export function firstViolation(errors: readonly ErrorObject[] | null | undefined): Violation {
  const error = errors?.[0]
  if (error === undefined) return { where: undefined, problem: 'is invalid' }
  if (error.keyword === 'required') {
    const missing = String(error.params['missingProperty'])
    return { where: [dotted(error.instancePath), missing].filter(Boolean).join('.'), problem: 'is required' }
  }
  if (error.keyword === 'additionalProperties') {
    const strange = String(error.params['additionalProperty'])
    return { where: [dotted(error.instancePath), strange].filter(Boolean).join('.'), problem: 'is not a known field' }
  }
  return { where: dotted(error.instancePath) || undefined, problem: problemOf(error) }
}

function problemOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of: ${[params['allowedValues']].flat().map(String).join(', ')}`
  if (keyword === 'type') return `must be of type ${[params['type']].flat().join(' or ')}`
  return message ?? 'is invalid'
}

/** `/messages/0/role` as a client writes it: `messages[0].role`. */
function dotted(instancePath: string): string {
  return instancePath
    .replace(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replace(/^\//, '')
    .replaceAll('/', '.')
}
