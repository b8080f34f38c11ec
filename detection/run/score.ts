import type { Check } from '../../src/check/check.ts'
import { sawFailure } from '../../src/check/verdict.ts'
import { flawIn } from './sentences.ts'
import type { Subject } from './subjects.ts'
import type { Examined } from './worker.ts'

/** How the checks judged a fault. */
interface FaultScore {
  readonly name: string
  readonly about: string
  /** The root check, which gives the clause and the level. */
  readonly root: string
  readonly clause: string
  readonly level: Check['level']
  readonly caught: boolean
  /** Checks that should have noticed and did not. */
  readonly missing: readonly string[]
  /** Checks that failed although the fault names them nowhere. */
  readonly strangers: readonly string[]
}

/** A check that failed on a gateway that keeps the contract. */
interface FalseAlarm {
  readonly subject: string
  readonly entries: readonly string[]
  readonly check: string
  readonly said: string
}

export interface Score {
  readonly faults: readonly FaultScore[]
  readonly legal: number
  readonly falseAlarms: readonly FalseAlarm[]
  /** Legal gateways and faults that could not be judged, and errors of the harness. */
  readonly problems: readonly string[]
  /** Gateways that were judged wrongly among many others and examined again with a core to themselves, which counts. */
  readonly secondLooks: readonly Wrong[]
  /** Ids of the checks that failed, by the name of the subject. */
  readonly matrix: Readonly<Record<string, readonly string[]>>
}

/** A gateway that was not judged as it should be, and what was seen instead. */
export interface Wrong {
  readonly name: string
  readonly saw: readonly string[]
}

interface KnownFault {
  readonly about: string
  readonly breaks: readonly string[]
  readonly enough?: 'one'
  readonly follows?: readonly string[]
}

type Known = Readonly<Record<string, KnownFault>>

/** The results of all subjects, in their order. A subject without a result is a problem, and is not left out. */
export function inOrder(subjects: readonly Subject[], examined: readonly Examined[]): readonly Examined[] {
  const byName = new Map(examined.map((one) => [one.subject.name, one]))
  return subjects.map(
    (subject) => byName.get(subject.name) ?? { subject, results: [], problem: 'it was never examined' },
  )
}

export function scoreOf(
  examined: readonly Examined[],
  faults: Known,
  checks: readonly Check[],
  secondLooks: readonly Wrong[] = [],
): Score {
  return {
    faults: examined.filter(({ subject }) => subject.kind === 'fault').map((one) => scoreFault(one, faults, checks)),
    legal: examined.filter(({ subject }) => subject.kind !== 'fault').length,
    falseAlarms: examined.filter(({ subject }) => subject.kind !== 'fault').flatMap(falseAlarmsOf),
    problems: examined.flatMap(problemsOf),
    secondLooks,
    matrix: Object.fromEntries(examined.map((one) => [one.subject.name, noticedBy(one)])),
  }
}

/** Whether the referee passes its own test: every fault caught, no legal gateway flagged. */
export function isPerfect({ faults, falseAlarms, problems }: Score): boolean {
  const flawless = faults.every(
    ({ caught, missing, strangers }) => caught && missing.length === 0 && strangers.length === 0,
  )
  return flawless && falseAlarms.length === 0 && problems.length === 0
}

/** The gateways that were not judged as they should be. */
export function wrongOf({ faults, falseAlarms }: Score, examined: readonly Examined[]): readonly Wrong[] {
  const all = [
    ...faults.flatMap(({ name, caught, missing, strangers }) => [
      ...(caught || missing.length > 0 ? [] : [{ name, saw: 'it was not caught' }]),
      ...missing.map((id) => ({ name, saw: `${id} did not fail` })),
      ...strangers.map((id) => ({ name, saw: `${id} failed` })),
    ]),
    ...falseAlarms.map(({ subject, check, said }) => ({ name: subject, saw: `${check}: ${said}` })),
    ...examined.flatMap((one) => problemsOf(one).map((saw) => ({ name: one.subject.name, saw }))),
  ]
  const byName = Map.groupBy(all, ({ name }) => name)
  return [...byName].map(([name, some]) => ({ name, saw: some.map(({ saw }) => saw) }))
}

/** Ids of the checks that failed; one that stands behind another for the same cause has noticed as well. */
function noticedBy({ results }: Examined): readonly string[] {
  return results.flatMap(({ id, verdict }) => (sawFailure(verdict) ? [id] : []))
}

function scoreFault(examined: Examined, faults: Known, checks: readonly Check[]): FaultScore {
  const { name } = examined.subject
  const { about = '', breaks = [], enough, follows = [] }: Partial<KnownFault> = faults[name] ?? {}
  const noticed = noticedBy(examined)
  // What stands behind a root is told once, as that root.
  const failed = examined.results.filter(({ verdict }) => verdict.kind === 'fail').map(({ id }) => id)
  const root = breaks[0] ?? ''
  const check = checks.find(({ id }) => id === root)
  return {
    name,
    about,
    root,
    clause: check?.clause ?? '?',
    level: check?.level ?? 'must',
    caught: enough === 'one' ? breaks.some((id) => noticed.includes(id)) : noticed.includes(root),
    missing: enough === 'one' ? [] : breaks.filter((id) => !noticed.includes(id)),
    strangers: failed.filter((id) => !breaks.includes(id) && !follows.includes(id)),
  }
}

function falseAlarmsOf({ subject, results }: Examined): FalseAlarm[] {
  return results.flatMap(({ id, verdict }) =>
    verdict.kind === 'fail'
      ? [
          {
            subject: subject.name,
            entries: subject.entries,
            check: id,
            said: `${verdict.what}: expected ${verdict.expected}, got ${verdict.actual}`,
          },
        ]
      : [],
  )
}

function problemsOf({ subject, problem, results }: Examined): string[] {
  const errors = results.flatMap(({ id, verdict }) =>
    verdict.kind === 'error' ? [`${subject.name}: ${id}: ${verdict.message}`] : [],
  )
  const sentences = results.flatMap(({ id, verdict }) => {
    const flaw = verdict.kind === 'fail' ? flawIn(verdict) : undefined
    return flaw === undefined ? [] : [`${subject.name}: ${id} is told wrongly: ${flaw}`]
  })
  const said = [...errors, ...sentences]
  return problem === undefined ? said : [`${subject.name} could not be judged: ${problem}`, ...said]
}
