import { describe, expect, test } from 'vitest'
import { variants } from '../../reference-server/faults/index.ts'
import { examine } from '../../src/cli/examine.ts'
import { createSemaphore } from '../../src/semaphore.ts'

/** Examinations wait more than they work: some at once keep both cores busy. */
const enter = createSemaphore(6)

describe.concurrent('no check accuses a gateway that is only unusual:', () => {
  test.each(Object.entries(variants))('%s', { timeout: 600_000 }, async (_, { wrap }) => {
    const leave = await enter()
    try {
      const { results } = await examine({ wraps: [wrap()], seed: 1, runs: 3, timeoutMs: 3000 })
      const accused = results.filter(({ verdict }) => verdict.kind === 'fail' || verdict.kind === 'error')
      expect(accused.map(({ check, verdict }) => [check.id, verdict])).toEqual([])
    } finally {
      leave()
    }
  })
})
