import { describe, expect, test } from 'vitest'
import { faults } from '../../reference-server/faults/index.ts'
import { examine } from '../../src/cli/examine.ts'
import { checks } from '../index.ts'

const broken = new Set(Object.values(faults).flatMap(({ breaks }) => breaks))

describe('every check that gates', () => {
  const gating = checks.filter(({ level }) => level !== 'open')

  test.each(gating.map(({ id }) => id))('%s has a fault that trips it', (id) => {
    expect(broken.has(id)).toBe(true)
  })
})

describe('every fault', () => {
  test.each(Object.entries(faults))('%s is noticed by the checks that it names', async (_, { breaks, wrap }) => {
    const selected = checks.filter(({ id }) => breaks.includes(id))
    expect(selected.map(({ id }) => id).sort()).toEqual([...breaks].sort())
    const { results } = await examine({ wraps: [wrap()], seed: 1, runs: 10, selected })
    const unnoticed = results
      .filter(({ verdict }) => verdict.kind !== 'fail')
      .map(({ check, verdict }) => [check.id, verdict])
    expect(unnoticed).toEqual([])
  })
})
