import type { Check } from '../check/check.ts'

/** What a report tells of a check beside its verdict. */
export interface Rule extends Pick<Check, 'level' | 'clause' | 'why' | 'fix'> {
  readonly id: string
  /** The statements that it proves, in words. */
  readonly statements: readonly string[]
}

export type Rules = ReadonlyMap<string, Rule>
