import { capabilities, capabilitiesOf } from '../target/capabilities.ts'
import type { TargetConfig } from '../target/config.ts'
import type { Check } from './check.ts'
import type { CheckId } from './check-ids.ts'
import type { Verdict } from './verdict.ts'

interface Ended {
  readonly check: Pick<Check, 'id'>
  readonly verdict: Verdict
  /** It did not run, because of one that it depends on. */
  readonly skipped?: true
}

/** Why a check cannot run because of one it depends on; names the root of a chain of failures, not its last link. */
function obstacleIn({ check, verdict, skipped: isBehindAnother }: Ended): Verdict | undefined {
  switch (verdict.kind) {
    case 'pass':
    case 'observed':
      return undefined
    case 'fail':
      return { kind: 'blocked', by: check.id }
    case 'blocked':
      return verdict
    case 'not-applicable':
      return verdict
    case 'untestable':
      // A check that lacked a capability proved nothing either way: that is no reason to leave this one undecided.
      if (verdict.cause === 'capability') return undefined
      // What is used up is used up for all, and a reason that names its root needs no further names.
      if (verdict.cause === 'budget' || isBehindAnother) return verdict
      return { ...verdict, reason: `${check.id} could not be decided: ${verdict.reason}` }
    case 'error':
      return { kind: 'untestable', cause: 'target', reason: `${check.id} ended in a harness error` }
  }
}

/** What stands in the way of a check that depends on these: a failure says more than what could not be decided. */
export async function obstacleAmong(
  ids: readonly CheckId[] = [],
  resultOf: (id: CheckId) => Promise<Ended>,
): Promise<Verdict | undefined> {
  let undecided: Verdict | undefined
  for (const id of ids) {
    const obstacle = obstacleIn(await resultOf(id))
    if (obstacle !== undefined && obstacle.kind !== 'untestable') return obstacle
    undecided ??= obstacle
  }
  return undecided
}

/** Why a check is not asked at all, whatever becomes of the others. */
export function lackOf(
  { id, needs = [] }: Check,
  config: TargetConfig,
  tooDear?: ReadonlyMap<CheckId, Verdict>,
): Verdict | undefined {
  const available = capabilitiesOf(config)
  const lacking = needs.find((capability) => !available.has(capability))
  if (lacking === undefined) return tooDear?.get(id)
  return { kind: 'untestable', cause: 'capability', reason: `needs ${lacking}: pass ${capabilities[lacking]}` }
}

/** The verdict of a check that the run did not come to. */
export function unfinished(reason: string): Verdict {
  return { kind: 'untestable', cause: 'budget', reason }
}
