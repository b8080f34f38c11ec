import type { Schema } from './schema.ts'

/** C2.5, the model list. Fields the contract does not show are allowed, and never judged. */
export interface ModelList {
  readonly object: 'list'
  readonly data: readonly ListedModel[]
}

interface ListedModel {
  readonly id: string
  readonly object: 'model'
  readonly owned_by: string
  readonly pricing: Pricing
}

/** US dollars per one million tokens. */
export interface Pricing {
  readonly prompt: number
  readonly completion: number
  readonly unit: 'per_million_tokens'
}

export const pricingSchema = {
  $id: 'contract/v1/2.5-pricing',
  type: 'object',
  required: ['prompt', 'completion', 'unit'],
  properties: {
    prompt: { type: 'number' },
    completion: { type: 'number' },
    unit: { const: 'per_million_tokens' },
  },
} as const satisfies Schema<Pricing>

const listedModelSchema = {
  $id: 'contract/v1/2.5-model',
  type: 'object',
  required: ['id', 'object', 'owned_by', 'pricing'],
  properties: {
    id: { type: 'string', minLength: 1 },
    object: { const: 'model' },
    owned_by: { type: 'string', minLength: 1 },
    pricing: { type: 'object', required: pricingSchema.required, properties: pricingSchema.properties },
  },
} as const satisfies Schema<ListedModel>

export const modelListSchema = {
  $id: 'contract/v1/2.5-model-list',
  type: 'object',
  required: ['object', 'data'],
  properties: {
    object: { const: 'list' },
    data: {
      type: 'array',
      items: { type: 'object', required: listedModelSchema.required, properties: listedModelSchema.properties },
    },
  },
} as const satisfies Schema<ModelList>
