import type { Check } from '../check/check.ts'

/** What a report says about a check besides its verdict. */
interface Rule extends Pick<Check, 'level' | 'clause' | 'why' | 'fix'> {
  readonly id: string
  /** The statements that it proves, in words. */
  readonly statements: readonly string[]
}

export type Rules = ReadonlyMap<string, Rule>
