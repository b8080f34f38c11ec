import type { Check } from '../../check/check.ts'
import type { Gravity } from '../../contract/marks.ts'
import { readFixture } from '../../fixtures.ts'
import { numberAt, parseJson } from '../../json.ts'

const levels: Readonly<Record<Check['level'], number>> = { must: 2, should: 1, open: 0.25 }
const gravities: Readonly<Record<Gravity, number>> = {
  service: 1,
  data: 1,
  security: 1,
  framing: 0.75,
  shape: 0.5,
  validation: 0.5,
}

/** By check: how many of our own broken gateways it is there to notice. `npm run generate` counts them. */
const faults = parseJson(readFixture('checks', 'faults.json'))

/** How much a check proves: what it is there to notice, how surely that is wrong, and whom it hurts. */
export function worthOf({ id, level, gravity }: Pick<Check, 'id' | 'level' | 'gravity'>): number {
  return (numberAt(faults, id) ?? 0) + levels[level] * (gravity === undefined ? 1 : gravities[gravity])
}
