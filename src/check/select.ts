import { didYouMean } from '../did-you-mean.ts'
import { HarnessError } from '../harness-error.ts'
import type { Check } from './check.ts'

export interface Selection {
  readonly only: readonly string[]
  readonly skip: readonly string[]
  /** Only checks that create, delete and load nothing. */
  readonly safe: boolean
}

/** The checks that a run is asked for. A selector is an id or a glob of ids, a clause, a level or a capability. */
export function selectChecks(checks: readonly Check[], { only, skip, safe }: Selection): readonly Check[] {
  for (const selector of [...only, ...skip]) {
    if (!checks.some((check) => matches(check, selector))) {
      const names = checks.flatMap(({ id, clause, level, needs = [] }) => [id, clause, level, ...needs])
      const meant = didYouMean(selector, new Set(names))
      throw new HarnessError(
        'usage',
        `"${selector}" selects no check: it is not an id, glob, clause, level or capability.${meant || ' The command list prints them.'}`,
      )
    }
  }
  const selected = checks.filter(
    (check) =>
      (only.length === 0 || only.some((selector) => matches(check, selector))) &&
      !skip.some((selector) => matches(check, selector)) &&
      (!safe || check.safe !== false),
  )
  if (selected.length === 0) throw new HarnessError('usage', 'No check is left to run by --only, --skip and --safe.')
  return selected
}

function matches({ id, clause, level, needs = [] }: Check, selector: string): boolean {
  if (selector === level || selector === clause || clause.startsWith(`${selector}.`)) return true
  if (selector === 'client') return needs.length === 0
  return needs.some((capability) => capability === selector) || globOf(selector).test(id)
}

/** A pattern of `*` and `?` that matches a whole name. */
export function globOf(selector: string): RegExp {
  const pattern = selector
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${pattern}$`)
}
