import type { Fault } from '../../reference-server/faults/fault.ts'
import type { Check } from '../check/check.ts'
import { detect, type Examined, type Subject } from './detect.ts'

type Faults = Readonly<Record<string, Fault>>

/** One gateway, and the faults that it has, each as if it had a gateway to itself. */
export interface Pool {
  readonly gateway: Subject
  readonly members: readonly Subject[]
}

const sizeMax = 5

/** No check runs where the list names no model, whether it says so or not. */
const neededByAll = 'models.names-a-model'

/** A gateway for each subject. */
export function alone(subjects: readonly Subject[]): readonly Pool[] {
  return subjects.map((subject) => ({ gateway: subject, members: [subject] }))
}

/**
 * Lets faults share a gateway that leave each other alone, as pooled samples are tested: no two of them wrap one seam,
 * and none trips a check that another one's checks depend on. Whoever does not come out of a pool as it should has to be
 * examined by itself, so that sharing costs no verdict, only time.
 */
export function poolFaults(subjects: readonly Subject[], faults: Faults, checks: readonly Check[]): readonly Pool[] {
  const needs = needsOf(checks)
  const traits = new Map(
    subjects
      .filter(({ kind }) => kind === 'fault')
      .map((subject) => [subject, traitsOf(subject, faults[subject.name], needs)] as const),
  )
  const groups: [Subject, ...Subject[]][] = []
  for (const [subject, own] of traits) {
    const isApart = (other: Subject): boolean => {
      const others = traits.get(other)
      return others !== undefined && areApart(own, others)
    }
    const fits = (group: readonly Subject[]): boolean => group.length < sizeMax && group.every(isApart)
    const group = groups.find(fits)
    if (group === undefined) groups.push([subject])
    else group.push(subject)
  }
  return [...groups.map(poolOf), ...alone(subjects.filter((subject) => !traits.has(subject)))]
}

/** What a gateway says of its faults. */
export interface Split {
  readonly told: readonly Examined[]
  /** Those of which it says nothing certain. */
  readonly apart: readonly Subject[]
}

/**
 * A fault is told of where all that it breaks failed: where something did not, it survives, or another one hides it.
 * Where a check failed besides that is none of theirs, nobody knows whose work that is.
 */
export function splitPool({ results, problem }: Examined, { members }: Pool, faults: Faults): Split {
  const [only, ...others] = members
  if (only !== undefined && others.length === 0)
    return { told: [{ subject: only, results, ...(problem !== undefined && { problem }) }], apart: [] }
  const failed = results.flatMap(({ id, verdict }) => (verdict.kind === 'fail' ? [id] : []))
  const known = new Set(members.flatMap(({ name }) => tripsOf(faults[name])))
  const isOdd = problem !== undefined || results.some(({ verdict }) => verdict.kind === 'error')
  if (isOdd || failed.some((id) => !known.has(id))) return { told: [], apart: members }
  const isCertain = ({ name }: Subject): boolean => (faults[name]?.breaks ?? []).every((id) => failed.includes(id))
  const told = members.filter(isCertain).map((subject) => {
    const own = tripsOf(faults[subject.name])
    return { subject, results: results.filter(({ id, verdict }) => verdict.kind !== 'fail' || own.includes(id)) }
  })
  return { told, apart: members.filter((member) => !isCertain(member)) }
}

/** Examines pools, and whoever did not come out of one as it should by itself. */
export async function detectPools(
  pools: readonly Pool[],
  faults: Faults,
  { seed, runs }: { readonly seed: number; readonly runs: number },
  onExamined: (examined: Examined) => void,
): Promise<void> {
  const byName = new Map(pools.map((pool) => [pool.gateway.name, pool]))
  await detect(
    pools.map(({ gateway }) => gateway),
    seed,
    runs,
    (examined) => {
      const pool = byName.get(examined.subject.name) ?? { gateway: examined.subject, members: [examined.subject] }
      const { told, apart } = splitPool(examined, pool, faults)
      for (const one of told) onExamined(one)
      return apart
    },
  )
}

/** What decides whether a fault can share a gateway. */
interface Traits {
  readonly setting: string
  readonly seams: ReadonlySet<string>
  /** Checks that it makes fail, or may. */
  readonly trips: ReadonlySet<string>
  /** Checks that have to come out as ever for its own to be able to notice. */
  readonly needs: ReadonlySet<string>
}

function traitsOf({ setting }: Subject, fault: Fault | undefined, needs: (id: string) => readonly string[]): Traits {
  const { breaks = [], wrap } = fault ?? {}
  return {
    setting: JSON.stringify(setting),
    seams: new Set(Object.keys(wrap?.() ?? {})),
    trips: new Set(tripsOf(fault)),
    needs: new Set([neededByAll, ...breaks.flatMap(needs)]),
  }
}

function areApart(one: Traits, other: Traits): boolean {
  return (
    one.setting === other.setting &&
    areDisjoint(one.seams, other.seams) &&
    areDisjoint(one.trips, other.needs) &&
    areDisjoint(other.trips, one.needs)
  )
}

function areDisjoint(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return ![...some].some((one) => others.has(one))
}

function tripsOf({ breaks = [], follows = [] }: Partial<Fault> = {}): readonly string[] {
  return [...breaks, ...follows]
}

/** A check and all that it depends on. */
function needsOf(checks: readonly Check[]): (id: string) => readonly string[] {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const needs = (id: string): readonly string[] => [id, ...(byId.get(id)?.dependsOn ?? []).flatMap(needs)]
  return needs
}

function poolOf(members: readonly [Subject, ...Subject[]]): Pool {
  const entries = members.flatMap((member) => member.entries)
  return { gateway: { ...members[0], name: entries.join(' + '), entries }, members }
}
