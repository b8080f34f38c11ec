import { prng } from '../../reference-server/network/prng.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import { globOf } from '../../src/check/select.ts'
import { HarnessError } from '../../src/harness-error.ts'
import { faults } from '../faults/index.ts'
import { variants } from '../variants/index.ts'
import { drawCombinations } from './combine.ts'
import { type Setting, settingFor } from './examine.ts'

/** One gateway to examine: a fault, a legal variant, or several variants at once. */
export interface Subject {
  readonly kind: 'fault' | 'variant' | 'combination'
  readonly name: string
  /** Names of the entries to wrap around the seams. */
  readonly entries: readonly string[]
  readonly setting: Setting
  /** The checks that it is held against; all of them when absent. */
  readonly selected?: readonly CheckId[]
}

export interface Draw {
  readonly seed: number
  /** Every variant by itself, more combinations, and every fault against all checks. */
  readonly full: boolean
  /** Names to take, as globs; all when there are none. */
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

/** One fault of so many is held against all checks in a default run: does a check fail that should not? */
const againstAllShare = 10

/** Our nodes only in a full run: a legal gateway takes twice the time with them. None is silent for ever, or never writes its books. */
const legalSetting = (full: boolean): Setting => ({ withNodes: full, timeoutMs: 4000, settlingMs: 600 })

/** The gateways of one run of detection. Throws a usage error when none is left. */
export function drawSubjects({ seed, full, only, skip }: Draw): readonly Subject[] {
  const matches = ({ name }: Subject, patterns: readonly string[]): boolean =>
    patterns.some((pattern) => globOf(pattern).test(name))
  const all = [...faultSubjects(seed, full, only.length > 0), ...legalSubjects(seed, full, only.length > 0)]
  const chosen = all.filter((subject) => (only.length === 0 || matches(subject, only)) && !matches(subject, skip))
  if (chosen.length === 0) throw new HarnessError('usage', 'No fault and no variant is left by --only and --skip.')
  return chosen
}

/** Each fault alone, held against the checks that must notice; some, all in a full run or by name, against every check. */
function faultSubjects(seed: number, full: boolean, byName: boolean): readonly Subject[] {
  const chance = prng(seed)
  return Object.entries(faults).map(([name, { breaks }]) => {
    const all = chance.below(againstAllShare) === 0 || full || byName
    const setting = { ...settingFor(breaks), ...(full && { load: true }) }
    return { kind: 'fault', name, entries: [name], setting, ...(!all && { selected: breaks }) }
  })
}

/** What was met at public gateways by itself, the other variants in combinations; in a full run, or by name, each by itself. */
function legalSubjects(seed: number, full: boolean, byName: boolean): readonly Subject[] {
  const setting = legalSetting(full)
  const isReported = ([, { reported }]: [string, (typeof variants)[keyof typeof variants]]): boolean =>
    reported === true
  const entries = Object.entries(variants)
  const alone = entries.filter((entry) => full || byName || isReported(entry))
  const due = entries.filter((entry) => !isReported(entry)).map(([name]) => name)
  const combinations = drawCombinations({ seed, count: full ? 500 : 60, table: variants, due })
  return [
    ...alone.map(([name]): Subject => ({ kind: 'variant', name, entries: [name], setting })),
    ...combinations.map(
      (names, at): Subject => ({ kind: 'combination', name: `combination-${at + 1}`, entries: names, setting }),
    ),
  ]
}
