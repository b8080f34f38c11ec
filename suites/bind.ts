import { describe, inject, type RunnerTestCase, type RunnerTestSuite, test } from 'vitest'
import type { SerializedResult } from '../src/check/result.ts'
import { saidOf } from '../src/report/said.ts'
import { execute } from '../src/run/execute.ts'
import { gates } from '../src/run/gate.ts'
import { checks } from './index.ts'

const { orders, rules } = inject('assay')
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
        const { kind } = result.verdict
        if (kind === 'pass' || kind === 'observed') return
        const said = saidOf(result)
        if (kind !== 'error' && !gates(result, rules)) skip(`${kind}: ${said}`)
        throw new Error(said)
      })
  })
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
