import type { Check } from '../../check/check.ts'
import type { Gravity } from '../../contract/marks.ts'
import { readFixture } from '../../fixtures.ts'

type Proving = Pick<Check, 'id' | 'level' | 'gravity'>

const levels: Readonly<Record<Check['level'], number>> = { must: 0.5, should: 0.25, open: 0.05 }
const gravities: Readonly<Record<Gravity, number>> = {
  service: 1,
  data: 1,
  security: 1,
  framing: 0.75,
  shape: 0.5,
  validation: 0.5,
}

/** Our own broken gateways, by the checks of which each must notice them: how many. `npm run generate` counts them. */
const faults = Object.entries(JSON.parse(readFixture('checks', 'faults.json')) as Readonly<Record<string, number>>).map(
  ([ids, count]) => ({ by: ids.split(' '), count }),
)

type Noticed = (typeof faults)[number]

const byCheck = new Map<string, Noticed[]>()
for (const noticed of faults) for (const id of noticed.by) byCheck.set(id, [...(byCheck.get(id) ?? []), noticed])

/**
 * How much some checks prove beside others that are asked anyway: what they notice and the others do not, how surely that is wrong, and
 * whom it hurts.
 */
export function worthOf(checks: readonly Proving[], others: ReadonlySet<string>): number {
  const noticed = new Set(checks.flatMap(({ id }) => byCheck.get(id) ?? []))
  let worth = 0
  for (const { by, count } of noticed) if (!by.some((id) => others.has(id))) worth += count
  for (const { level, gravity } of checks) worth += levels[level] * (gravity === undefined ? 1 : gravities[gravity])
  return worth
}
