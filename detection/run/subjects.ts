import { prng } from '../../reference-server/network/prng.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import { globOf } from '../../src/check/select.ts'
import { didYouMean } from '../../src/did-you-mean.ts'
import { HarnessError } from '../../src/harness-error.ts'
import { checks } from '../../suites/index.ts'
import { faults } from '../faults/index.ts'
import { relayFaults } from '../relay-table/faults.ts'
import { isVariantId, showsAtNodes, type VariantId, variants } from '../variants/index.ts'
import type { Variant } from '../variants/variant.ts'
import { drawCombinations } from './combine.ts'
import { type Setting, settingFor } from './examine.ts'

/** One gateway to examine: a fault, a legal variant, or several variants at once. */
export interface Subject {
  readonly kind: 'fault' | 'variant' | 'combination'
  readonly name: string
  /** Names of the entries to wrap around the seams. */
  readonly entries: readonly string[]
  readonly setting: Setting
  /** The checks that are run against it; all of them when absent. */
  readonly selected?: readonly CheckId[]
  /** Whether a failure of one of these is enough: then no other check is asked. */
  readonly enough?: 'one'
}

export interface Draw {
  readonly seed: number
  /** Every variant by itself, more combinations, and every fault against all checks. */
  readonly full: boolean
  /** Names to take, as globs; empty means all. */
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

/** In a default run one fault in twenty meets all checks, to find checks that fail and should not. */
const againstAllShare = 20

/** In a default run one reported variant in two is examined by itself, and the others in combinations. */
const aloneShare = 2

/** A default run takes one cell of the relay table in forty. */
const cellShare = 40

/** A run takes twice as long with our nodes. Legal gateways do answer, and do write their books, in time. */
const legalSetting = (withNodes: boolean): Setting => ({ withNodes, timeoutMs: 4000, settlingMs: 600 })

const checksWithNodes = checks
  .filter(({ needs = [] }) => needs.includes('nodes') || needs.includes('two-nodes'))
  .map(({ id }) => id)

/** The gateways of one run of detection. Throws a usage error if none is left. */
export function drawSubjects({ seed, full, only, skip }: Draw): readonly Subject[] {
  const matches = ({ name }: Subject, patterns: readonly string[]): boolean =>
    patterns.some((pattern) => globOf(pattern).test(name))
  const all = [
    ...faultSubjects(seed, full, only.length > 0),
    ...cellSubjects(seed, full || only.length > 0),
    ...legalSubjects(seed, full, only.length > 0),
  ]
  const chosen = all.filter((subject) => (only.length === 0 || matches(subject, only)) && !matches(subject, skip))
  if (chosen.length === 0) {
    const names = all.map(({ name }) => name)
    throw new HarnessError(
      'usage',
      `--only and --skip leave no fault and no variant.${only.map((one) => didYouMean(one, names)).join('')}`,
    )
  }
  return chosen
}

/** Each fault by itself, against the checks that must notice. Some quick ones meet every check; in a full run, or by name, all do. */
function faultSubjects(seed: number, full: boolean, byName: boolean): readonly Subject[] {
  const chance = prng(seed)
  return Object.entries(faults).map(([name, { breaks }]) => {
    const setting = { ...settingFor(breaks), ...(full && { load: true }) }
    // All checks, and those that wait for long, would be eight minutes.
    const isDrawn = chance.below(againstAllShare) === 0 && !setting.long
    const all = isDrawn || full || byName
    return { kind: 'fault', name, entries: [name], setting, ...(!all && { selected: breaks }) }
  })
}

/** Cells of the relay table, each against the checks of which one must notice; one in forty of them in a default run. */
function cellSubjects(seed: number, all: boolean): readonly Subject[] {
  const chance = prng(seed)
  return Object.entries(relayFaults)
    .filter(() => chance.below(cellShare) === 0 || all)
    .map(([name, { breaks }]) => {
      const setting = settingFor(breaks)
      return { kind: 'fault', name, entries: [name], setting, selected: breaks, enough: 'one' }
    })
}

/**
 * Half of the reported variants by themselves, all others in combinations; in a full run, or by name, all by themselves too. Those that
 * show only at nodes get ours in every run, and in a default run they are combined with each other.
 */
function legalSubjects(seed: number, full: boolean, byName: boolean): readonly Subject[] {
  const chance = prng(seed)
  const names = Object.keys(variants).filter(isVariantId)
  // The checks must stand each form in which engines speak, so each is by itself.
  const isAlone = ({ reported, nodeDialect }: Variant): boolean =>
    nodeDialect !== undefined || (reported === true && chance.below(aloneShare) === 0)
  const alone = new Set(names.filter((name) => isAlone(variants[name])))
  const combined = (count: number, some: readonly VariantId[]): readonly (readonly string[])[] => {
    const table = Object.fromEntries(some.map((name) => [name, variants[name]]))
    return drawCombinations({ seed, count, table, due: some.filter((name) => !alone.has(name)) })
  }
  const combinations = full
    ? combined(500, names)
    : [
        ...combined(
          60,
          names.filter((name) => !showsAtNodes(name)),
        ),
        ...combined(3, names.filter(showsAtNodes)),
      ]
  return [
    ...names
      .filter((name) => full || byName || alone.has(name))
      .map((name) => legalSubject('variant', name, [name], full)),
    ...combinations.map((entries, at) => legalSubject('combination', `combination-${at + 1}`, entries, full)),
  ]
}

function legalSubject(kind: Subject['kind'], name: string, entries: readonly string[], full: boolean): Subject {
  const atNodes = entries.filter(isVariantId).some(showsAtNodes)
  const long = kind === 'variant' && entries.filter(isVariantId).some((entry) => variants[entry].long === true)
  const setting = { ...legalSetting(full || atNodes), ...windowOf(entries), ...(long && { long }) }
  return { kind, name, entries, setting, ...(atNodes && !full && { selected: checksWithNodes }) }
}

/** The window that their users would name. */
function windowOf(names: readonly string[]): Pick<Setting, 'contextWindow'> {
  const [contextWindow] = names.filter(isVariantId).flatMap((name) => variants[name].contextWindow ?? [])
  return contextWindow === undefined ? {} : { contextWindow }
}
