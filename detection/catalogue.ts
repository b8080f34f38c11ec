import type { Wrap } from '../reference-server/gateway/seams.ts'
import type { DialectName } from '../reference-server/node-server/dialect/dialects.ts'
import type { Fault } from './faults/fault.ts'
import { faults } from './faults/index.ts'
import { relayFaults } from './relay-table/faults.ts'
import { isVariantId, variants } from './variants/index.ts'
import type { Given } from './variants/variant.ts'

/** Every fault by its name: those invented one by one, and those generated from the relay table. */
export const allFaults: Readonly<Record<string, Fault>> = { ...faults, ...relayFaults }

export function isFaultName(name: string): boolean {
  return Object.hasOwn(allFaults, name)
}

/** The wrapper of the fault or variant of this name, made anew; undefined if there is no such name. */
function wrapNamed(name: string): Wrap | undefined {
  return isVariantId(name) ? variants[name].wrap() : allFaults[name]?.wrap()
}

/** The wrappers of faults and variants that are combined, the innermost first. Throws for a name that does not exist. */
export function wrapsNamed(names: readonly string[]): readonly Wrap[] {
  const isOutermost = (name: string): boolean => isVariantId(name) && variants[name].isOutermost === true
  return names
    .toSorted((one, other) => Number(isOutermost(one)) - Number(isOutermost(other)))
    .map((name) => {
      const wrap = wrapNamed(name)
      if (wrap === undefined) throw new Error(`there is no fault and no variant ${name}`)
      return wrap
    })
}

/** What the user of a gateway with these variants passes. */
export function givenFor(names: readonly string[]): Given {
  return Object.assign({}, ...names.map((name) => (isVariantId(name) ? variants[name].given : undefined)))
}

/** The dialect of the nodes behind a gateway with these variants; undefined for plain ones. */
export function nodeDialectOf(names: readonly string[]): DialectName | undefined {
  return names.flatMap((name) => (isVariantId(name) ? (variants[name].nodeDialect ?? []) : []))[0]
}
