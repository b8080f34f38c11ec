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
 * and none trips a check that another one's checks depend on. A pool that does not come out as its faults should has to
 * be taken apart, so that sharing costs no verdict, only time.
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

/** What a gateway says of each of its faults; undefined where it is not what all of them together should come to. */
export function splitPool(
  { results, problem }: Examined,
  { members }: Pool,
  faults: Faults,
): readonly Examined[] | undefined {
  const [only, ...others] = members
  if (only !== undefined && others.length === 0)
    return [{ subject: only, results, ...(problem !== undefined && { problem }) }]
  const failed = results.flatMap(({ id, verdict }) => (verdict.kind === 'fail' ? [id] : []))
  const due = members.flatMap(({ name }) => faults[name]?.breaks ?? [])
  const known = new Set(members.flatMap(({ name }) => tripsOf(faults[name])))
  const isOdd = problem !== undefined || results.some(({ verdict }) => verdict.kind === 'error')
  if (isOdd || due.some((id) => !failed.includes(id)) || failed.some((id) => !known.has(id))) return undefined
  return members.map((subject) => {
    const own = tripsOf(faults[subject.name])
    return { subject, results: results.filter(({ id, verdict }) => verdict.kind !== 'fail' || own.includes(id)) }
  })
}

/** Examines pools, and then each member of those that do not come out as they should by itself. */
export async function detectPools(
  pools: readonly Pool[],
  faults: Faults,
  { seed, runs }: { readonly seed: number; readonly runs: number },
  onExamined: (examined: Examined) => void,
): Promise<void> {
  const byName = new Map(pools.map((pool) => [pool.gateway.name, pool]))
  const apart: Subject[] = []
  await detect(
    pools.map(({ gateway }) => gateway),
    seed,
    runs,
    (examined) => {
      const pool = byName.get(examined.subject.name) ?? { gateway: examined.subject, members: [examined.subject] }
      const parts = splitPool(examined, pool, faults)
      if (parts === undefined) apart.push(...pool.members)
      for (const part of parts ?? []) onExamined(part)
    },
  )
  await detect(apart, seed, runs, onExamined)
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
