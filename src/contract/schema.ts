import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'

/** A JSON Schema (2020-12) whose `properties` names the fields of T, no more and no fewer. */
export interface Schema<T> {
  readonly $id: string
  readonly type: 'object'
  readonly required: readonly (keyof T & string)[]
  readonly properties: { readonly [K in keyof Required<T>]: object }
}

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true })
const validators = new Map<object, ValidateFunction>()

/** What is wrong with a value, one sentence each; empty when it matches the schema. Unknown fields are never wrong. */
export function mismatches(schema: object, value: unknown): string[] {
  // A schema would say that it "must be object", as if something else had been there.
  if (value === undefined) return ['the whole value is missing']
  let validate = validators.get(schema)
  if (validate === undefined) {
    validate = ajv.compile(schema)
    validators.set(schema, validate)
  }
  return validate(value) ? [] : (validate.errors ?? []).map(sentence)
}

/** What is wrong with one part of a value, so that each check names one cause. */
export function mismatchesAt(schema: object, value: unknown, part: RegExp): string[] {
  return mismatches(schema, value).filter((one) => part.test(one))
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath === '' ? 'the whole value' : instancePath
  const allowed = 'allowedValue' in params ? ` ${JSON.stringify(params['allowedValue'])}` : ''
  return `${where} ${message ?? 'does not match'}${allowed}`
}
