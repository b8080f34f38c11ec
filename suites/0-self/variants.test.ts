import { describe, expect, test } from 'vitest'
import { variants } from '../../reference-server/faults/index.ts'
import { examine } from '../../src/cli/examine.ts'

describe('no check accuses a gateway that is only unusual:', () => {
  test.each(Object.entries(variants))('%s', async (_, { wrap }) => {
    const { results } = await examine({ wraps: [wrap()], seed: 1, runs: 5 })
    const accused = results.filter(({ verdict }) => verdict.kind === 'fail' || verdict.kind === 'error')
    expect(accused.map(({ check, verdict }) => [check.id, verdict])).toEqual([])
  })
})
