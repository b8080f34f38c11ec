import { accessVariants } from './access.ts'
import { booksVariants } from './books.ts'
import { bytesVariants } from './bytes.ts'
import { chunksVariants } from './chunks.ts'
import { enginesVariants } from './engines.ts'
import { fieldsVariants } from './fields.ts'
import { httpVariants } from './http.ts'
import { nodesVariants } from './nodes.ts'
import { paceVariants } from './pace.ts'
import { refusalsVariants } from './refusals.ts'
import { relayVariants } from './relay.ts'
import { repliesVariants } from './replies.ts'
import { restartVariants } from './restarts.ts'
import { textVariants } from './text.ts'
import { transientVariants } from './transient.ts'
import type { Variant } from './variant.ts'
import { waitsVariants } from './waits.ts'

/** The tables of legal variants. */
export const variantTables = [
  bytesVariants,
  chunksVariants,
  repliesVariants,
  textVariants,
  paceVariants,
  refusalsVariants,
  fieldsVariants,
  accessVariants,
  booksVariants,
  httpVariants,
  transientVariants,
  enginesVariants,
  nodesVariants,
  relayVariants,
  restartVariants,
  waitsVariants,
] as const

type KeysOf<Table> = Table extends unknown ? keyof Table & string : never

/** The permanent name of a legal variant. */
export type VariantId = KeysOf<(typeof variantTables)[number]>

/** Every legal variant by its name. */
export const variants: Readonly<Record<VariantId, Variant>> = Object.assign({}, ...variantTables)

export function isVariantId(name: string): name is VariantId {
  return Object.hasOwn(variants, name)
}

/** Whether nothing of it shows without our nodes after the gateway. */
export function showsAtNodes(name: VariantId): boolean {
  return Object.hasOwn(nodesVariants, name) || Object.hasOwn(relayVariants, name)
}
