import type { Wrap } from '../reference-server/gateway/seams.ts'
import { didYouMean } from '../src/did-you-mean.ts'
import { HarnessError } from '../src/harness-error.ts'
import { allFaults, isFaultName, wrapsNamed } from './catalogue.ts'
import { isVariantId, variants } from './variants/index.ts'

/**
 * The wrappers of the faults and variants that a user names, the innermost first. Throws `HarnessError` (usage) for a name that
 * does not exist; `option` is how the user named it.
 */
export function askedWraps(names: readonly string[], option: string): readonly Wrap[] {
  const unknown = names.find((name) => !isFaultName(name) && !isVariantId(name))
  if (unknown === undefined) return wrapsNamed(names)
  const hint = didYouMean(unknown, [...Object.keys(allFaults), ...Object.keys(variants)])
  throw new HarnessError(
    'usage',
    `${option} ${unknown}: no fault or variant has this name.${hint || ' The command faults lists them.'}`,
  )
}
