import { describe, expect, inject, type RunnerTestCase, type RunnerTestSuite, test } from 'vitest'
import { costOf } from '../src/check/cost.ts'
import type { SerializedResult } from '../src/check/result.ts'
import { saidOf } from '../src/report/said.ts'

import { execute } from '../src/run/execute.ts'
import { gates } from '../src/run/gate.ts'
import { checks } from './index.ts'

const { orders, rules, isEmbedded } = inject('assay')
const selected = checks.filter(({ id }) => orders.selected.includes(id))
const verdicts = new Map<string, PromiseWithResolvers<SerializedResult>>(
  selected.map(({ id }) => [id, Promise.withResolvers()]),
)
let isStarted = false

for (const clause of new Set(selected.map((check) => check.clause))) {
  describe.concurrent(`clause ${clause}`, () => {
    for (const { id } of selected.filter((check) => check.clause === clause))
      test(id, { timeout: 0 }, async ({ task, skip }) => {
        start(task.file.tasks)
        const result = await verdicts.get(id)?.promise
        if (result === undefined) throw new Error('there is no such check')
        if (isEmbedded) holdToCost(result)
        const { kind } = result.verdict
        if (kind === 'pass' || kind === 'observed') return
        const said = saidOf(result)
        if (kind !== 'error' && !gates(result, rules)) skip(`${kind}: ${said}`)
        throw new Error(said)
      })
  })
}

/** What a check uses of a gateway that is not at fault is within its cost: else the bound that a run prints is none. */
function holdToCost(result: SerializedResult): void {
  const { id, used } = result
  const check = selected.find((one) => one.id === id)
  if (check === undefined || used === undefined) throw new Error('nothing is known of what it used')
  const most = costOf(check, orders.randomness)
  // How often our nodes have to be asked until the gateway uses them again after a failure is a matter of time.
  if (!result.needs.some((need) => need.endsWith('nodes')))
    expect(used.requests, 'requests beyond its cost').toBeLessThanOrEqual(most.requests)
  expect(used.tokens, 'tokens beyond its cost').toBeLessThanOrEqual(most.tokens)
}

/** Begins the run with the first test: what a filter of the test runner left, and what that depends on. */
function start(tasks: readonly (RunnerTestCase | RunnerTestSuite)[]): void {
  if (isStarted) return
  isStarted = true
  const wanted = namesIn(tasks)
  const ids = selected.map(({ id }) => id).filter((id) => wanted.has(id))
  execute({ ...orders, selected: ids }, { result: (result) => verdicts.get(result.id)?.resolve(result) }).catch(
    (error) => {
      for (const verdict of verdicts.values()) verdict.reject(error)
    },
  )
}

function namesIn(tasks: readonly (RunnerTestCase | RunnerTestSuite)[]): ReadonlySet<string> {
  return new Set(
    tasks.flatMap((task) => {
      if (task.type === 'suite') return [...namesIn(task.tasks)]
      return task.mode === 'run' || task.mode === 'queued' ? [task.name] : []
    }),
  )
}
