import type { Schema } from './schema.ts'

/** C2.4, one event of a streaming reply. Fields the contract does not show are allowed, and never judged. */
export interface StreamChunk {
  readonly id: string
  readonly choices: readonly ChunkChoice[]
}

interface ChunkChoice {
  readonly index: number
  /** A chunk may carry no fragment: the one that names the role, a keep-alive, the last. */
  readonly delta: { readonly content?: string | null }
}

const delta = { type: 'object', properties: { content: { type: ['string', 'null'] } } } as const
const choice = {
  type: 'object',
  required: ['index', 'delta'],
  properties: { index: { type: 'integer', minimum: 0 }, delta },
} as const

export const streamChunkSchema = {
  $id: 'contract/v1/2.4-stream-chunk',
  type: 'object',
  required: ['id', 'choices'],
  properties: {
    id: { type: 'string', minLength: 1 },
    choices: { type: 'array', items: choice },
  },
} as const satisfies Schema<StreamChunk>
