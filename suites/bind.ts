import { afterAll, describe, inject, test } from 'vitest'
import { secretsOf } from '../src/check/judge.ts'
import { createRun } from '../src/check/run.ts'
import { type SealedResult, type SealedRun, sealResult } from '../src/check/sealed.ts'
import type { Spending } from '../src/target/target.ts'
import { createTarget } from '../src/target/target.ts'
import { createRedactor } from '../src/wire/redact.ts'
import { checks } from './index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assay: SealedRun
  }
  interface TaskMeta {
    assay?: { readonly result: SealedResult; readonly spending: Spending }
  }
}

const { config, prepared, randomness, selected, keepAll } = inject('assay')
const wanted = checks.filter(({ id }) => selected.includes(id))
const redactor = createRedactor(secretsOf(config))
const target = createTarget(config)
target.patience.adapt(prepared)
const run = createRun(checks, wanted, { target, prepared, redactor, randomness })

afterAll(() => target.close())

for (const clause of new Set(wanted.map((check) => check.clause))) {
  describe.concurrent(clause, () => {
    for (const { id } of wanted.filter((check) => check.clause === clause)) {
      test(id, { timeout: 0 }, async ({ task, skip }) => {
        const result = sealResult(await run.resultOf(id), redactor, keepAll)
        task.meta.assay = { result, spending: { ...target.spending } }
        const { verdict } = result
        switch (verdict.kind) {
          case 'pass':
          case 'observed':
            return
          case 'fail':
            throw new Error(`${verdict.what}: expected ${verdict.expected}, got ${verdict.actual}`)
          case 'error':
            throw new Error(verdict.message)
          case 'blocked':
            return skip(`blocked by ${verdict.by}`)
          default:
            return skip(`${verdict.kind}: ${verdict.reason}`)
        }
      })
    }
  })
}
