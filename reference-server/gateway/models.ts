import { readFile } from 'node:fs/promises'
import { firstViolation, validator } from '../validator.ts'

/** A model that the gateway knows (C2.5). The registry knows whether a node serves it. */
export interface Model {
  readonly id: string
  readonly ownedBy: string
  /** In tokens, prompt and completion together. */
  readonly contextWindow: number
  /** USD per million tokens, prompt and completion alike. */
  readonly price: number
}

/** The three tiers of C2.5. */
export const defaultModels: readonly Model[] = [
  { id: 'small', ownedBy: 'assay', contextWindow: 131_072, price: 0.1 },
  { id: 'medium', ownedBy: 'assay', contextWindow: 131_072, price: 0.5 },
  { id: 'large', ownedBy: 'assay', contextWindow: 65_536, price: 0.6 },
]

const modelsFile = validator<Model[]>({
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['id', 'ownedBy', 'contextWindow', 'price'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1 },
      ownedBy: { type: 'string', minLength: 1 },
      contextWindow: { type: 'integer', minimum: 1 },
      price: { type: 'number', minimum: 0 },
    },
  },
})

/** Reads a models file: a JSON array of models with the fields of `Model`. */
export async function loadModels(file: string): Promise<readonly Model[]> {
  return parseModels(await readFile(file, 'utf8'), file)
}

/** `source` names the text in errors. */
export function parseModels(text: string, source: string): readonly Model[] {
  const validate = modelsFile()
  const value = parseJson(text, source)
  if (!validate(value)) {
    const { where, problem } = firstViolation(validate.errors)
    throw new Error(`${source}: ${where ?? 'the file'} ${problem}`)
  }
  const ids = value.map(({ id }) => id)
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
  if (repeated !== undefined) throw new Error(`${source}: the id ${JSON.stringify(repeated)} is used twice`)
  return value
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${source}: not JSON`, { cause })
  }
}

/** The body of the model list (C2.5). */
export function modelList(models: readonly Model[], created: number): unknown {
  return { object: 'list', data: models.map((model) => listed(model, created)) }
}

function listed({ id, ownedBy, contextWindow, price }: Model, created: number): unknown {
  return {
    id,
    object: 'model',
    created,
    owned_by: ownedBy,
    context_window: contextWindow,
    pricing: { prompt: price, completion: price, unit: 'per_million_tokens' },
  }
}
