import type { Wrap } from '../reference-server/gateway/seams.ts'
import { faults, isFaultId } from './faults/index.ts'
import { isVariantId, variants } from './variants/index.ts'

/** The wrapper of the fault or variant of this name, made anew; undefined if there is no such name. */
export function wrapNamed(name: string): Wrap | undefined {
  if (isFaultId(name)) return faults[name].wrap()
  return isVariantId(name) ? variants[name].wrap() : undefined
}
