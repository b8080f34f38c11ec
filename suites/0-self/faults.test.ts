import { describe, expect, test } from 'vitest'
import type { Fault } from '../../reference-server/faults/fault.ts'
import { faults } from '../../reference-server/faults/index.ts'
import type { Check } from '../../src/check/check.ts'
import { examine, settingFor } from '../../src/cli/examine.ts'
import { createSemaphore } from '../../src/semaphore.ts'
import { checks } from '../index.ts'

const broken = new Set(Object.values(faults).flatMap(({ breaks }) => breaks))

describe('every check that gates', () => {
  const gating = checks.filter(({ level }) => level !== 'open')

  test.each(gating.map(({ id }) => id))('%s has a fault that trips it', (id) => {
    expect(broken.has(id)).toBe(true)
  })
})

/** Examinations wait more than they work: some at once keep both cores busy. */
const enter = createSemaphore(4)

describe.concurrent('every fault', () => {
  test.each(Object.entries(faults))(
    '%s is noticed by the checks that it names',
    { timeout: 600_000 },
    async (_, { breaks, wrap }) => {
      const selected = checks.filter(({ id }) => breaks.includes(id))
      expect(selected.map(({ id }) => id).sort()).toEqual([...breaks].sort())
      const leave = await enter()
      try {
        const alone = await unnoticed(breaks, wrap, selected)
        // What shows only in the traffic of other checks needs all of them.
        expect(alone.length === 0 ? [] : await unnoticed(breaks, wrap, checks)).toEqual([])
      } finally {
        leave()
      }
    },
  )
})

async function unnoticed(
  breaks: readonly string[],
  wrap: Fault['wrap'],
  selected: readonly Check[],
): Promise<unknown[]> {
  const { results } = await examine({ wraps: [wrap()], seed: 1, runs: 10, selected, ...settingFor(breaks) })
  return results
    .filter(({ check, verdict }) => breaks.includes(check.id) && verdict.kind !== 'fail')
    .map(({ check, verdict }) => [check.id, verdict])
}
